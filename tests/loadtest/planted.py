"""A locustfile with one wrong expectation in it: that a view shows the sequence after the one it stands at."""

from dominohall.v1 import view_pb2
from dominohall_loadtest import user  # not `Host` itself: Locust takes every user class that it finds here
from dominohall_loadtest.locustfile import Shape
from dominohall_loadtest.mirror import Mirror

__all__ = ["Shape", "WrongHost"]


class WrongMirror(Mirror):
    """A mirror that is mistaken about views."""

    def shows(self, seat: int | None, view: view_pb2.View) -> None:
        """Judge a view that stands one record further than it does."""
        further = view_pb2.View()
        further.CopyFrom(view)
        further.sequence += 1
        super().shows(seat, further)


class WrongHost(user.Host):
    """A host with that mirror."""

    mirror = WrongMirror
