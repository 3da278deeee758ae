# Builds the service: the wheel from this checkout, everything else from the hashed lists.
#   docker build -t dominohall .
#   docker run --read-only --tmpfs /tmp -v keys:/etc/dominohall/keys:ro -v data:/var/lib/dominohall -p 50051:50051 dominohall \
#     serve --keyring /etc/dominohall/keys/keyring.json --auth none --trust-network
# --auth none where nobody but hosts reaches the port; the other ways of letting callers in are in docs/security.md.
# Name the base by its digest when you build for production (--build-arg BASE=...@sha256:...): the digest is not written
# here because it could not be pulled, and so not checked, where this file was written.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements-build.lock requirements-service.lock ./
RUN python3 -m venv /tmp/tools \
 && /tmp/tools/bin/pip install --require-hashes -r requirements-build.lock \
 && python3 -m venv /opt/dominohall \
 && /opt/dominohall/bin/pip install --require-hashes -r requirements-service.lock
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY engine engine
COPY replays replays
COPY proto proto
COPY service service
RUN /tmp/tools/bin/hatchling build -t wheel -d /tmp/wheel \
 && /opt/dominohall/bin/pip install --no-index --no-deps /tmp/wheel/*.whl \
 && /opt/dominohall/bin/python -m compileall -q /opt/dominohall/lib \
 && /opt/dominohall/bin/pip uninstall -y -q setuptools pip

FROM ${BASE}
LABEL org.opencontainers.image.title="dominohall" \
      org.opencontainers.image.description="A dominoes engine behind gRPC, with replays that settle disputes" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/dominohall /opt/dominohall
# Two arenas: glibc gives every thread that allocates one of its own, and each keeps what its busiest moment needed.
ENV PATH=/opt/dominohall/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=2 \
    DOMINOHALL_HOST=0.0.0.0
RUN install -d -o 10001 -g 10001 /var/lib/dominohall
USER 10001:10001
WORKDIR /var/lib/dominohall
EXPOSE 50051 50052 9464
STOPSIGNAL SIGTERM
# The exec form: the service itself is process 1 and gets the SIGTERM that starts its drain.
ENTRYPOINT ["dominohall"]
CMD ["serve"]
