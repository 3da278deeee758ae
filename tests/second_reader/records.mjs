// The items of a log as what they mean: header, move, terminal, openings, attachments, each in the form that the
// page gives it. Anything else is unreadable.

import { Unreadable } from "./msgpack.mjs";
import { TILES } from "./tiles.mjs";

export const KIND = { header: 0, move: 1, terminal: 2, opening: 16, tiles: 17, signature: 32, secret: 33 };
const HEADER_KEYS = [
  "format", "match_id", "owner", "game", "rules_revision", "rules_digest", "options", "first", "labels", "commitment",
  "deal_key_id", "marks", "initial",
];
const MARKS = [[], ["imported"], ["scripted"], ["imported", "scripted"]];
const MAX_TIME = 253_402_300_799_999;
export const MAX_PUBLIC = 4_096;

const isBytes = (value, least, most = least) => Buffer.isBuffer(value) && value.length >= least && value.length <= most;
const isText = (value, least, most) => {
  if (typeof value !== "string") return false;
  const length = Buffer.byteLength(value);
  return length >= least && length <= most;
};
const isCount = (value, least, most) => Number.isSafeInteger(value) && value >= least && value <= most;
const isInteger = (value) => Number.isInteger(value) || typeof value === "bigint";
const isPlainValue = (value) => value === null || isInteger(value) || ["boolean", "string"].includes(typeof value);
const isPlain = (value) => !/[\u0000-\u001f\u007f-\u009f]/u.test(value);
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

function want(holds, item, what) {
  if (!holds) throw new Unreadable(item.start, `${what} is not as the format has it`);
}

/** The kind of an item, or null if it is no record, opening or attachment. */
export function kindOf(item) {
  const kind = Array.isArray(item.value) ? item.value[0] : null;
  return Object.values(KIND).includes(kind) ? kind : null;
}

function fieldsOf(item, kind, count) {
  want(kindOf(item) === kind && item.value.length === count, item, `an item of kind ${kind}`);
  return item.value;
}

export function readLink(reader) {
  const item = reader.item();
  want(isBytes(item.value, 32), item, "a link");
  return item.value;
}

export function header(item) {
  const map = fieldsOf(item, KIND.header, 2)[1];
  want(map instanceof Map && same([...map.keys()], HEADER_KEYS), item, "the header's map");
  const h = Object.fromEntries(map);
  want(h.format === "dominohall-replay/1", item, "format");
  want(isText(h.match_id, 1, 128) && isPlain(h.match_id), item, "match_id");
  want(isText(h.owner, 0, 128) && isPlain(h.owner), item, "owner");
  want(isText(h.game, 1, 128) && isPlain(h.game), item, "game");
  want(isCount(h.rules_revision, 1, Number.MAX_SAFE_INTEGER), item, "rules_revision");
  want(isBytes(h.rules_digest, 32), item, "rules_digest");
  want(h.options instanceof Map, item, "options");
  want([...h.options.values()].every(isPlainValue), item, "an option");
  want(h.options.get("revision") === h.rules_revision, item, "the revision that the options name");
  const keys = [...h.options.keys()].map((key) => Buffer.from(key));
  want(keys.every((key, i) => i === 0 || Buffer.compare(keys[i - 1], key) < 0), item, "the order of the options");
  want(h.first === null || isCount(h.first, 0, 3), item, "first");
  want(Array.isArray(h.labels) && h.labels.every((label) => isText(label, 0, 256)), item, "labels");
  want(h.commitment === null || isBytes(h.commitment, 32), item, "commitment");
  want(h.commitment === null ? h.deal_key_id === null : isBytes(h.deal_key_id, 1, 32), item, "deal_key_id");
  want(Array.isArray(h.marks) && MARKS.some((marks) => same(marks, h.marks)), item, "marks");
  const imported = h.marks.includes("imported");
  want(imported ? Array.isArray(h.initial) && h.initial.length === 2 : h.initial === null, item, "initial");
  if (imported) {
    const [bytes, root] = h.initial;
    want(isBytes(bytes, 1, MAX_PUBLIC) && (root === null || isBytes(root, 32)), item, "initial");
    h.initial = { bytes, root };
  }
  return h;
}

export function move(item) {
  const [, sequence, bytes, digest, at, root] = fieldsOf(item, KIND.move, 6);
  want(isInteger(sequence), item, "sequence");
  want(isBytes(bytes, 1, 128), item, "move");
  want(isBytes(digest, 32), item, "digest");
  want(at === null || isCount(at, 0, MAX_TIME), item, "occurred_at");
  const shake = bytes[0] === 1;
  want(!shake || bytes.length === 1, item, "a shake");
  want(shake ? isBytes(root, 32) : root === null, item, "root");
  return { sequence, bytes, digest, root, shake };
}

/** A terminal by its types alone: whether a match could end like that is asked of the match. */
export function terminal(item, sequence) {
  const [, itsSequence, ending, winner, scores] = fieldsOf(item, KIND.terminal, 5);
  want(itsSequence === sequence, item, "the sequence of a terminal");
  want(typeof ending === "string", item, "ending");
  want(winner === null || isInteger(winner), item, "winner");
  want(Array.isArray(scores) && scores.every(isInteger), item, "scores");
  return { ending, winner, scores };
}

/** An opening: `{order, salt}` of a whole log, `{tiles}` of a redacted one. */
export function opening(item) {
  if (kindOf(item) === KIND.tiles) {
    const tiles = fieldsOf(item, KIND.tiles, 2)[1];
    want(Array.isArray(tiles), item, "openings of tiles");
    return { tiles: tiles.map((fields, i) => openedTile(fields, i === 0 ? -1 : tiles[i - 1][0], item)) };
  }
  const [, order, salt] = fieldsOf(item, KIND.opening, 3);
  want(isBytes(order, TILES), item, "order");
  want(isBytes(salt, 32), item, "salt");
  return { order: [...order], salt };
}

function openedTile(fields, before, item) {
  want(Array.isArray(fields) && fields.length === 4, item, "the opening of a tile");
  const [place, tile, salt, path] = fields;
  want(isCount(place, before + 1, TILES - 1) && isCount(tile, 0, TILES - 1), item, "place and tile");
  want(isBytes(salt, 32), item, "leaf salt");
  want(Array.isArray(path) && path.length === 5 && path.every((node) => isBytes(node, 32)), item, "path");
  return { place, tile, salt, path };
}

export function attachment(item) {
  if (kindOf(item) === KIND.secret) {
    const [, secret] = fieldsOf(item, KIND.secret, 2);
    want(isBytes(secret, 32), item, "secret");
    return { secret, start: item.start };
  }
  const [, sequence, link, key, signature] = fieldsOf(item, KIND.signature, 5);
  want(isCount(sequence, 0, Number.MAX_SAFE_INTEGER), item, "sequence");
  want(isBytes(link, 32) && isBytes(key, 1, 32) && isBytes(signature, 64), item, "signature");
  return { sequence, link, key, signature, start: item.start };
}
