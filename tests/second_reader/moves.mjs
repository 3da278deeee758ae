// The bytes of a move as a move, or null where they are none of this game.

import { TILES } from "./tiles.mjs";

const SEATED = {
  forty_two: {
    0x10: ["bid", "points"], 0x11: ["pass"], 0x12: ["name_trump", "trump"], 0x13: ["play", "tile"],
  },
  fives: { 0x20: ["play", "tile", "place"], 0x21: ["draw"], 0x22: ["knock"] },
};

/** A move other than a shake. Its form is read here; whether there is such a seat, bid or place, the rules say. */
export function decodeMove(game, bytes) {
  const [code, ...fields] = bytes;
  if (code === 2) return lot(game, fields);
  if (code === 3) return fields.every((byte) => byte < 128) ? { kind: "abandon", reason: String.fromCharCode(...fields) } : null;
  if (!(code in SEATED[game])) return null;
  const [kind, ...names] = SEATED[game][code];
  if (fields.length !== names.length + 1) return null;
  const move = { kind, seat: fields[0], ...Object.fromEntries(names.map((name, i) => [name, fields[i + 1]])) };
  return move.tile >= TILES ? null : move;
}

function lot(game, fields) {
  if (game === "forty_two") return fields.length === 1 ? { kind: "lot", seat: fields[0] } : null;
  return fields.length >= 2 && fields.length <= 4 ? { kind: "lot", tiles: fields } : null;
}
