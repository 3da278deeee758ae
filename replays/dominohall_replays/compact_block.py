"""A block: the rows of some logs in one zstd frame, with the templates that they share.

block = zstd frame of MessagePack [1, templates, rows]
row   = [template, match id, sequence, link, body, salts, times, labels, attachments], without what is empty at its end

A match id that is a UUID in its usual spelling stands as its 16 bytes. A frame says how long its content is; one that
says more than `GREATEST_BLOCK` is refused before anything is made room for.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgpack

from dominohall_replays.compact_row import GREATEST_MOVES, Row, Template
from dominohall_replays.errors import UnreadableSegment

VERSION: Final = 1
FRAME: Final = b"\x28\xb5\x2f\xfd"
"""How a frame of zstd begins; no log does."""
LEVEL: Final = 9
"""Level of zstd: the higher ones gain nothing, see `docs/archive-format.md`."""
GREATEST_BLOCK: Final = 1 << 24
"""Bytes of the content of the largest block that is read."""
GREATEST_WINDOW: Final = 1 << 24
_EMPTY: Final = (b"", b"", (), ())
"""What a row may leave out at its end."""


def pack_block(rows: Sequence[Row]) -> bytes:
    """Pack rows in the order given."""
    templates: dict[Template, int] = {}
    packed = []
    for row in rows:
        number = templates.setdefault(row.template, len(templates))
        fields = [number, _packed_id(row.match_id), *row[2:]]
        while len(fields) > 5 and not fields[-1]:
            fields.pop()
        packed.append(fields)
    return compressed(msgpack.packb([VERSION, list(templates), packed]))


def read_block(data: bytes) -> list[Row]:
    """Read the rows of a block; `UnreadableSegment` if it is none."""
    content = decompressed(data, GREATEST_BLOCK)
    try:
        version, templates, rows = msgpack.unpackb(content, use_list=False)
        if version == VERSION:
            shared = [_template(*each) for each in templates]
            return [_row(shared, *each) for each in rows]
    except (ValueError, TypeError, IndexError, msgpack.UnpackException) as error:
        raise UnreadableSegment(f"expected a block of compact logs, got other bytes: {type(error).__name__}") from None
    raise UnreadableSegment(f"expected a block of version {VERSION}, got another")


def compressed(content: bytes) -> bytes:
    """Return one frame of zstd that says the size of its content and has its checksum."""
    packer = _zstandard().ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True)
    frame: bytes = packer.compress(content)
    return frame


def decompressed(frame: bytes, most: int) -> bytes:
    """Return the content of one frame, at most so many bytes."""
    zstandard = _zstandard()
    try:
        size = zstandard.get_frame_parameters(frame).content_size
        if not 0 < size <= most:
            raise UnreadableSegment(f"expected a frame of 1 to {most} bytes, got one that says {size}")
        reader = zstandard.ZstdDecompressor(max_window_size=GREATEST_WINDOW)
        content: bytes = reader.decompress(frame, read_across_frames=False, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise UnreadableSegment(f"expected a frame of zstd, got other bytes: {error}") from None
    return content


def _zstandard() -> Any:  # noqa: ANN401 - a module
    """Return what packs and unpacks; an extra that only those need who have compact logs."""
    try:
        import zstandard  # noqa: PLC0415 - see above
    except ModuleNotFoundError:
        raise UnreadableSegment("expected what reads compact logs: pip install 'dominohall[archive]'") from None
    return zstandard


def _packed_id(match_id: str) -> str | bytes:
    try:
        packed = UUID(match_id).bytes
    except ValueError:
        return match_id
    return packed if str(UUID(bytes=packed)) == match_id else match_id


def _template(*fields: Any) -> Template:  # noqa: ANN401 - from outside
    match fields:
        case (
            str(),
            str(),
            int(),
            bytes(),
            tuple(options),
            int() | None,
            bytes() | None,
            tuple(marks),
        ) if all(isinstance(each, str) for each in marks):
            dict(options)
            return Template(*fields)
        case _:
            raise ValueError("expected a template of this version")


def _row(templates: Sequence[Template], *fields: Any) -> Row:  # noqa: ANN401 - from outside
    row: Any = (*fields, *_EMPTY[len(fields) - 5 :])
    match row:
        case (int(number), (str() | bytes()) as packed, int(sequence), bytes(), bytes(), bytes(), bytes(), *kept):
            match_id = str(UUID(bytes=packed)) if isinstance(packed, bytes) else packed
            labels, attachments = kept
            if number >= 0 <= sequence <= GREATEST_MOVES and _all(labels, str) and _all(attachments, bytes, bool):
                return Row(templates[number], match_id, *row[2:])
    raise ValueError("expected a row of this version")


def _all(values: tuple[object, ...], *kinds: type) -> bool:
    return all(isinstance(each, kinds) for each in values)
