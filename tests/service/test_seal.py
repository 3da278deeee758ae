"""Tokens and keys, apart from any server."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest
from dominohall_service.faults import CallFault, Fault
from dominohall_service.keyring import (
    Key,
    KeyKind,
    Keyring,
    KeyStatus,
    UnusableKeyring,
    activate_key,
    add_key,
    development_keyring,
    format_keyring,
    new_keyring,
    parse_keyring,
    read_keyring,
    retire_key,
    rotate,
    write_keyring,
)
from dominohall_service.keys import Keys
from dominohall_service.recent import Recent
from dominohall_service.seal import HEADER, Sealed, Sealer
from hypothesis import given
from hypothesis import strategies as st

FIELDS = Sealed.__slots__
SEALED = st.builds(
    Sealed,
    owner=st.text(max_size=30),
    match_id=st.text("abc-._~019", min_size=1, max_size=128),
    game=st.sampled_from(["forty_two", "fives"]),
    marks=st.integers(0, 3),
    deal_key_id=st.binary(min_size=4, max_size=4),
    sequence=st.integers(0, 2**32 - 1),
    link=st.binary(min_size=32, max_size=32),
    root=st.none() | st.binary(min_size=32, max_size=32),
    state=st.binary(min_size=1, max_size=300),
)
SEALER = Sealer(development_keyring())


def values(sealed: Sealed) -> list[object]:
    """Return the fields of what a token holds, to compare."""
    return [getattr(sealed, name) for name in FIELDS]


@given(SEALED)
def test_what_is_sealed_is_what_is_opened(sealed: Sealed) -> None:
    """Sealing and opening give back every field, and the same match always gives the same token."""
    token = SEALER.seal(sealed)
    assert values(SEALER.open(token)) == values(sealed)
    assert Sealer(development_keyring()).seal(sealed) == token
    assert SEALER.seal(SEALER.open(token)) == token


@given(SEALED, st.data())
def test_a_token_is_opened_whole_or_not_at_all(sealed: Sealed, data: st.DataObject) -> None:
    """A token with any byte changed, or cut anywhere, is never opened as another match."""
    token = SEALER.seal(sealed)
    place = data.draw(st.integers(0, len(token) - 1))
    edited = bytearray(token)
    edited[place] ^= data.draw(st.integers(1, 255))
    for broken in (bytes(edited), token[:place]):
        with pytest.raises(CallFault) as caught:
            SEALER.open(broken)
        assert caught.value.fault in {
            Fault.TOKEN_UNREADABLE,
            Fault.TOKEN_TRUNCATED,
            Fault.KEY_UNKNOWN,
            Fault.SEAL_BROKEN,
        }


@given(st.binary(max_size=400))
def test_bytes_that_are_no_token(data: bytes) -> None:
    """Whatever arrives as a token is refused with a fault of its own, never with another error."""
    with pytest.raises(CallFault):
        SEALER.open(data)


def test_what_was_opened_is_remembered_for_a_while() -> None:
    """The last tokens are remembered, in bounded number, and each is found by its own bytes only."""
    recent: Recent[int] = Recent(4)
    for number in range(100):
        recent.add(bytes((number,)), number + 1)
    assert recent.get(bytes((99,))) == 100
    assert recent.get(bytes((0,))) is None
    assert sum(recent.get(bytes((number,))) is not None for number in range(100)) <= 8


def test_a_token_is_small_and_tells_nothing_by_its_length() -> None:
    """The length of a token depends on the lengths of ids and state alone, not on what they hold."""
    one = Sealed("default", "m" * 26, "forty_two", 0, b"abcd", 1, bytes(32), bytes(32), bytes(90))
    other = Sealed("default", "n" * 26, "fives", 3, b"efgh", 77, b"x" * 32, b"y" * 32, b"\xff" * 90)
    assert len(SEALER.seal(one)) == len(SEALER.seal(other)) <= 250
    assert one.state not in SEALER.seal(one)
    assert HEADER.size == 7


def test_a_keyring_survives_its_file(tmp_path: Path) -> None:
    """A keyring is read back as it was written, from a file that only its owner can read, never overwritten unasked."""
    keyring, _ = add_key(new_keyring(), KeyKind.DEAL)
    path = tmp_path / "keyring.json"
    write_keyring(path, keyring)
    assert read_keyring(path) == keyring
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_keyring(path, new_keyring())
    assert list(tmp_path.iterdir()) == [path]


def test_a_rotation_in_steps() -> None:
    """A new key is first accepted, then active; the old one is accepted until it is retired; the other kind stays."""
    first = new_keyring()
    old = first.active(KeyKind.SEAL)
    added, key = add_key(first, KeyKind.SEAL)
    assert added.active(KeyKind.SEAL) == old
    active = activate_key(added, KeyKind.SEAL, key.id)
    assert active.active(KeyKind.SEAL).id == key.id
    assert active.seal[old.id].status is KeyStatus.ACCEPTED
    retired = retire_key(active, KeyKind.SEAL, old.id)
    assert retired.seal[old.id].status is KeyStatus.RETIRED
    assert retired.deal == first.deal
    with pytest.raises(UnusableKeyring):
        activate_key(retired, KeyKind.SEAL, old.id)
    with pytest.raises(UnusableKeyring):
        retire_key(retired, KeyKind.SEAL, key.id)
    assert rotate(first, KeyKind.DEAL)[0].active(KeyKind.DEAL).id != first.active(KeyKind.DEAL).id


def test_every_pod_opens_what_another_sealed_during_a_rotation() -> None:
    """At each step of a rotation in steps, a pod one step behind opens what a pod ahead sealed, and the other way."""
    step0 = new_keyring()
    step1, key = add_key(step0, KeyKind.SEAL)
    step2 = activate_key(step1, KeyKind.SEAL, key.id)
    step3 = retire_key(step2, KeyKind.SEAL, step0.active(KeyKind.SEAL).id)
    sealed = Sealed("o", "m", "fives", 0, b"abcd", 1, bytes(32), None, b"state")
    for behind, ahead in ((step0, step1), (step1, step2)):
        for one, other in ((behind, ahead), (ahead, behind)):
            assert values(Sealer(other).open(Sealer(one).seal(sealed))) == values(sealed)
    assert values(Sealer(step2).open(Sealer(step3).seal(sealed))) == values(sealed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "dominohall-keyring/2", "seal": [], "deal": []}',
        '{"format": "dominohall-keyring/1", "seal": [], "deal": []}',
        '{"format": "dominohall-keyring/1", "seal": {}, "deal": []}',
        '{"format": "dominohall-keyring/1", "seal": [{"id": "zz"}], "deal": []}',
        '{"format": "dominohall-keyring/1", "seal": [{"id": "aabbccdd", "key": "QUFB", "status": "active"}], "deal":1}',
        '{"format": "dominohall-keyring/1", "seal": [{"id": 7, "key": 7, "status": 7}], "deal": []}',
    ],
)
def test_a_keyring_that_can_not_be_used(text: str) -> None:
    """Text that is no keyring is refused, and the message shows no key."""
    with pytest.raises(UnusableKeyring) as caught:
        parse_keyring(text)
    assert "QUFB" not in str(caught.value)


def test_a_keyring_needs_one_active_key_of_each_kind(tmp_path: Path) -> None:
    """None or two active keys are refused; so is a file that isn't there."""
    keyring = new_keyring()
    active = keyring.active(KeyKind.SEAL)
    for keys in ({}, {active.id: active, b"2222": Key(b"2222", b"2" * 32, KeyStatus.ACTIVE)}):
        with pytest.raises(UnusableKeyring, match="exactly one active"):
            parse_keyring(format_keyring(Keyring(keys, keyring.deal)))
    retired = replace(active, status=KeyStatus.RETIRED)
    with pytest.raises(UnusableKeyring, match="exactly one active"):
        parse_keyring(format_keyring(Keyring({retired.id: retired}, keyring.deal)))
    with pytest.raises(UnusableKeyring, match="readable"):
        read_keyring(tmp_path / "nothing")


def test_a_key_is_never_printed() -> None:
    """What Python prints of a key, a keyring or its errors leaves the secret out."""
    keyring = new_keyring()
    key = keyring.active(KeyKind.SEAL)
    assert repr(key.secret) not in repr(keyring)
    assert key.secret.hex() not in repr(key)


def test_secrets_differ_by_owner_match_and_key() -> None:
    """Each match of each owner has a secret of its own, the same from any process with the keyring."""
    keys = Keys(development_keyring())
    secrets = {keys.secret(keys.deal_key_id, owner, match, for_dealing=True) for owner in "ab" for match in ("1", "2")}
    assert len(secrets) == 4
    assert keys.secret(keys.deal_key_id, "a", "1", for_dealing=False) in secrets
    with pytest.raises(CallFault) as caught:
        keys.secret(b"none", "a", "1", for_dealing=True)
    assert caught.value.fault is Fault.KEY_UNKNOWN
