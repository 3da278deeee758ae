"""Write `vectors/deals.json`: run once; the file is published and never regenerated without a new domain."""

import json
from pathlib import Path

from dominohall_replays import deals

KEY = bytes(range(32))
PAIRS = (("acme", "match-1"), ("", "01JDX3Z8Q2"), ("häuser & co", "żółw/🁢"))


def main() -> None:
    """Write the vectors."""
    secrets = [
        {
            "deal_key": KEY.hex(),
            "owner": owner,
            "match_id": match_id,
            "match_secret": (secret := deals.match_secret(KEY, owner, match_id)).hex(),
            "commitment": deals.commitment(secret).hex(),
        }
        for owner, match_id in PAIRS
    ]
    shakes = [shake(deals.match_secret(KEY, *PAIRS[0]), number) for number in (0, 1, 255, 2**32 - 1)]
    text = json.dumps({"secrets": secrets, "shakes": shakes}, indent=1, ensure_ascii=False)
    (Path(__file__).parent / "vectors" / "deals.json").write_text(text + "\n", encoding="utf-8")


def shake(secret: bytes, number: int) -> dict[str, object]:
    """Return everything about one shake of a match."""
    order, salt = deals.derive_shake(secret, number), deals.shake_salt(secret, number)
    return {
        "match_secret": secret.hex(),
        "number": number,
        "shake_seed": deals.shake_seed(secret, number).hex(),
        "lot_seed": deals.lot_seed(secret, number).hex(),
        "order": order.hex(),
        "salt": salt.hex(),
        "root": deals.root(order, salt).hex(),
        "openings": [
            {
                "place": each.place,
                "tile": each.tile,
                "salt": each.salt.hex(),
                "path": [neighbour.hex() for neighbour in each.path],
            }
            for each in deals.openings(order, salt, (0, 13, 27))
        ],
        "lot_forty_two": deals.derive_lot("forty_two", 4, secret, number).hex(),
        "lot_fives": deals.derive_lot("fives", 4, secret, number).hex(),
    }


if __name__ == "__main__":
    main()
