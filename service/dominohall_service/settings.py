"""Everything an operator can set, in one frozen table: `docs/operations.md` and the flags of `serve` are made from it.

Each setting has a flag (`--max-batch-moves`) and an environment variable (`DOMINOHALL_MAX_BATCH_MOVES`); the flag
wins. A default is what a careful operator would choose for a small machine.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

PREFIX: Final = "DOMINOHALL_"
NONE: Final = "none"
"""How the absence of an optional setting is written in the environment."""
HIGHEST_PORT: Final = 65535
ChoiceT = TypeVar("ChoiceT", bound=StrEnum)


class InvalidSetting(ValueError):
    """A setting outside its range, or two that do not go together."""


class StoreKind(StrEnum):
    """Where the records of matches are kept."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    NONE = "none"


class Transport(StrEnum):
    """Which gRPC server answers."""

    GRPCIO = "grpcio"
    NATIVE = "native"


class Auth(StrEnum):
    """How callers are told apart."""

    AUTO = "auto"
    """`jwt` with a JWKS file, `none` with insecure development keys; else the server does not start."""
    JWT = "jwt"
    MTLS = "mtls"
    NONE = "none"


class LogFormat(StrEnum):
    """How log lines are written."""

    AUTO = "auto"
    """Readable on a terminal, JSON elsewhere."""
    JSON = "json"
    TEXT = "text"


def setting(
    default: Any,  # noqa: ANN401
    description: str,
    low: float = 0,
    high: float = float("inf"),
    *,
    secret: bool = False,
) -> Any:  # noqa: ANN401 - as `field`
    """Declare a setting with its range (for numbers) and its sentence in the table; a secret is never printed."""
    return field(default=default, repr=not secret, metadata={"description": description, "low": low, "high": high})


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings of one server. Raises `InvalidSetting` when it is made with a value outside its range."""

    host: str = setting("127.0.0.1", "Address to listen on; 0.0.0.0 or [::] for every interface.")
    transport: Transport = setting(
        Transport.GRPCIO,
        "Which gRPC server answers: grpcio, or native, which is faster, has no TLS and needs the extra native.",
    )
    port: int = setting(50051, "Port of the gRPC service; 0 takes a free one.", 0, HIGHEST_PORT)
    health_port: int = setting(50052, "Port of the gRPC health service; 0 takes a free one.", 0, HIGHEST_PORT)
    metrics_port: int = setting(
        9464, "Port of /metrics, /livez and /readyz over HTTP; 0 takes a free one.", 0, HIGHEST_PORT
    )
    keyring: Path | None = setting(None, "Keyring file with the seal and deal keys; read again when it changes.")
    keyring_poll_seconds: float = setting(5.0, "How often to look whether keyring and JWKS have changed.", 0.05, 3600)
    auth: Auth = setting(
        Auth.AUTO,
        "How callers are told apart: jwt (bearer tokens), mtls (client certificates) or none (not at all); "
        "auto means jwt with auth_jwks, none with insecure_dev_keys, and else refuses to start.",
    )
    trust_network: bool = setting(
        False,
        "Allow auth none, or transport native, on an address beyond loopback: only where a mesh or proxy lets in "
        "nobody but hosts.",
    )
    auth_jwks: Path | None = setting(
        None, "JWKS file with the public keys that bearer tokens are checked with; read again when it changes."
    )
    auth_issuer: str | None = setting(None, "Issuer (iss) that a bearer token must have.")
    auth_audience: str | None = setting(None, "Audience (aud) that a bearer token must have.")
    auth_algorithms: str = setting("EdDSA,ES256,RS256", "Algorithms that are taken, of EdDSA, ES256 and RS256.")
    auth_skew_seconds: float = setting(30.0, "How far the clock of the issuer may be off.", 0, 300)
    auth_owner_claim: str = setting("sub", "Claim of a bearer token that names the owner of its matches.")
    auth_scope_claim: str = setting("scope", "Claim with the scopes: host, replays.read, admin.")
    tls_cert: Path | None = setting(
        None, "Certificate chain (PEM) of the gRPC port, which then speaks TLS alone; read again when it changes."
    )
    tls_key: Path | None = setting(None, "Private key (PEM) of the certificate.")
    tls_client_ca: Path | None = setting(
        None, "Certificates (PEM) that a client's certificate must be signed by; no client comes in without one."
    )
    caller_calls_per_second: float = setting(0.0, "Calls a second of one caller; 0 for no limit.", 0, 1_000_000)
    caller_burst: int = setting(200, "Calls that a caller may make at once after a pause.", 1, 1_000_000)
    max_calls_per_caller: int = setting(0, "Threads that one caller may occupy; 0 for no limit.", 0, 1024)
    max_streams_per_caller: int = setting(4, "Streams that one caller may read at once; 0 for no limit.", 0, 1024)
    insecure_dev_keys: bool = setting(False, "Use keys that everybody knows instead of a keyring: never in production.")
    store: StoreKind = setting(
        StoreKind.SQLITE, "Where records are kept: sqlite, postgresql, or none (the hosts keep them)."
    )
    store_path: Path = setting(Path("dominohall.sqlite3"), "File of the SQLite store.")
    store_url: str | None = setting(
        None, "Address of the PostgreSQL store, postgresql://USER@HOST/DATABASE; may hold a password.", secret=True
    )
    store_readers: int = setting(4, "Connections to PostgreSQL for reading, beside the one that writes.", 1, 256)
    store_patience_seconds: float = setting(
        5.0, "How long a call waits for the store before it is UNAVAILABLE; less than the callers' deadline.", 0.1, 300
    )
    store_probe_seconds: float = setting(
        2.0, "How often the store is asked whether it answers; readiness follows.", 0.05, 3600
    )
    archive: str | None = setting(
        None, "Where finished matches were moved to and are read from: a folder, or s3://BUCKET/PREFIX."
    )
    archive_after_days: float = setting(
        30.0, "How long a finished match stays in the store before `dominohall archive` moves it.", 0, 36_500
    )
    durability: str = setting("power", "What an acknowledged move survives: power, process or none.")
    replay_dir: Path | None = setting(None, "Folder into which the log of each finished match is written.")
    allow_scripted_deals: bool = setting(False, "Let hosts start matches whose shakes and lots name their order.")
    allow_imports: bool = setting(False, "Let hosts start matches from a state of their own.")
    workers: int = setting(16, "Threads that answer calls.", 1, 1024)
    max_waiting_calls: int = setting(256, "Calls that may run or wait at once; more are refused at once.", 1, 1_000_000)
    max_message_bytes: int = setting(1 << 20, "Size of the largest request, in bytes.", 1 << 10, 1 << 28)
    max_batch_moves: int = setting(256, "Moves in one ApplyMoves.", 1, 100_000)
    max_match_moves: int = setting(10_000, "Moves in one match; after that it can only be abandoned.", 1, 1_000_000)
    grace_seconds: float = setting(20.0, "How long calls in progress may take to finish after SIGTERM.", 0, 3600)
    reflection: bool = setting(True, "Offer gRPC server reflection.")
    log_format: LogFormat = setting(LogFormat.AUTO, "How log lines are written: auto, json or text.")
    log_level: str = setting("info", "The least important lines that are written: debug, info, warning or error.")
    log_sample: int = setting(
        1, "Of how many successful calls of a method one line is written; failures always write theirs.", 1, 1_000_000
    )
    trace_endpoint: str | None = setting(
        None, "OTLP collector (gRPC) that traces are sent to, http://HOST:4317; needs the extra traces."
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "store", as_choice("store", StoreKind, self.store))
        object.__setattr__(self, "transport", as_choice("transport", Transport, self.transport))
        object.__setattr__(self, "auth", as_choice("auth", Auth, self.auth))
        object.__setattr__(self, "log_format", as_choice("log_format", LogFormat, self.log_format))
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = each.metadata["low"], each.metadata["high"]
                if not low <= value <= high:
                    raise InvalidSetting(f"{each.name}: expected {low:g} to {high:g}, got {value}")
        if self.durability not in {"power", "process", "none"}:
            raise InvalidSetting(f"durability: expected power, process or none, got {self.durability[:20]!r}")
        if self.log_level not in {"debug", "info", "warning", "error"}:
            raise InvalidSetting(f"log_level: expected debug, info, warning or error, got {self.log_level[:20]!r}")
        if (self.store is StoreKind.POSTGRESQL) != (self.store_url is not None):
            raise InvalidSetting("store, store_url: expected an address exactly with the store postgresql")
        if self.archive is not None and self.store is StoreKind.NONE:
            raise InvalidSetting("archive: expected none without a store, which matches are moved from")
        if self.replay_dir is not None and self.store is StoreKind.NONE:
            raise InvalidSetting("replay_dir: expected none without a store, which the logs are written from")
        if self.keyring is not None and self.insecure_dev_keys:
            raise InvalidSetting("keyring, insecure_dev_keys: expected one of them, got both")


def as_choice(name: str, kind: type[ChoiceT], value: str) -> ChoiceT:
    """Return the choice that a text names."""
    if value not in list(kind):
        raise InvalidSetting(f"{name}: expected one of {', '.join(kind)}, got {value[:20]!r}")
    return kind(value)


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return PREFIX + name.upper()


def flag(name: str) -> str:
    """Return the flag of a setting."""
    return "--" + name.replace("_", "-")


def settings_from(environment: Mapping[str, str], **flags: object) -> Settings:
    """Make settings from `DOMINOHALL_*` variables and the flags that were given (None means: not given).

    Raises `InvalidSetting` for a value that can't be read, and for a variable that sets nothing.
    """
    hints = get_type_hints(Settings)
    known = {variable(name): name for name in hints}
    values: dict[str, Any] = {}
    for key, text in environment.items():
        if key.startswith(PREFIX):
            if key not in known:
                raise InvalidSetting(f"{key}: expected the name of a setting, got one that sets nothing")
            values[known[key]] = parse_value(key, hints[known[key]], text)
    return Settings(**{**values, **{name: value for name, value in flags.items() if value is not None}})


def parse_value(name: str, kind: Any, text: str) -> Any:  # noqa: ANN401 - the type of any setting
    """Read the text of one setting."""
    if get_origin(kind) is UnionType:
        if text.lower() == NONE:
            return None
        kind = next(each for each in get_args(kind) if each is not NoneType)
    if kind is bool:
        if text.lower() in {"1", "true", "yes", "on"}:
            return True
        if text.lower() in {"0", "false", "no", "off"}:
            return False
        raise InvalidSetting(f"{name}: expected true or false, got {text[:20]!r}")
    try:
        return kind(text)
    except ValueError:
        raise InvalidSetting(f"{name}: expected {expected(kind)}, got {text[:20]!r}") from None


def expected(kind: Any) -> str:  # noqa: ANN401 - the type of any setting
    """Say in words what a setting of this type looks like."""
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return f"one of {', '.join(kind)}"
    names: Mapping[object, str] = {int: "a whole number", float: "a number"}
    return names.get(kind, str(getattr(kind, "__name__", kind)))


def table() -> str:
    """Return the settings as the Markdown table of `docs/operations.md`."""
    rows = ["| flag | variable | default | meaning |", "|---|---|---|---|"]
    rows += [
        f"| `{flag(each.name)}` | `{variable(each.name)}` | `{default_text(each)}` | {each.metadata['description']} |"
        for each in fields(Settings)
    ]
    return "\n".join(rows) + "\n"


def default_text(each: Field[Any]) -> str:
    """Write a default as it would be written in the environment."""
    if each.default is None:
        return NONE
    return str(each.default).lower() if isinstance(each.default, bool) else str(each.default)
