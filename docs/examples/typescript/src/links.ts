/**
 * The chain of a log, followed without knowing what its records say.
 *
 *     entry := record link [opening] [terminal link]
 *     link  := SHA-256("dominohall/link/1" 00 || link before || record)
 *
 * It is enough to find where a record ends; `docs/replay-format.md` specifies every byte.
 */

import { createHash } from "node:crypto";

const DOMAIN = Buffer.from("dominohall/link/1\0");
const TERMINAL = 2;
const OPENINGS: readonly number[] = [16, 17];
const FIRST_ATTACHMENT = 32;

/** What stands before the header of every log. */
export const NO_LINK = Buffer.alloc(32);

/** One entry of a log whose links were recomputed. */
export interface Linked {
  sequence: number;
  link: Buffer;
  entry: Buffer;
}

/** Recompute the links of entries that stand one after another, from the link before them; throw where one is wrong. */
export function readEntries(log: Buffer, sequence: number, previous: Buffer): Linked[] {
  const entries: Linked[] = [];
  let at = 0;
  while (at < log.length && kindAt(log, at) < FIRST_ATTACHMENT) {
    const start = at;
    const kind = kindAt(log, at);
    const found = kind === 0 ? 0 : numberAt(log, at + 2);
    if (kind > 1 || found !== sequence) throw new Error(`expected record ${sequence}, got kind ${kind}, ${found}`);
    [previous, at] = linkAt(log, at, previous);
    while (at < log.length && (kindAt(log, at) === TERMINAL || OPENINGS.includes(kindAt(log, at)))) {
      if (kindAt(log, at) === TERMINAL) [previous, at] = linkAt(log, at, previous);
      else at = itemEnd(log, at);
    }
    entries.push({ sequence, link: previous, entry: log.subarray(start, at) });
    sequence += 1;
  }
  return entries;
}

function linkAt(log: Buffer, at: number, previous: Buffer): [Buffer, number] {
  const end = itemEnd(log, at);
  const link = createHash("sha256").update(DOMAIN).update(previous).update(log.subarray(at, end)).digest();
  if (!log.subarray(end + 2, end + 34).equals(link)) throw new Error("a record that does not continue the log");
  return [link, end + 34];
}

/** The kind of a record: the first number of an array. */
function kindAt(log: Buffer, at: number): number {
  const head = log[at] ?? 0;
  if (head < 0x91 || head > 0x9f) throw new Error(`expected a record, got byte ${head}`);
  return numberAt(log, at + 1);
}

function numberAt(log: Buffer, at: number): number {
  const head = log[at] ?? 0xc0;
  if (head < 0x80) return head;
  if (head === 0xcc) return log.readUInt8(at + 1);
  if (head === 0xcd) return log.readUInt16BE(at + 1);
  if (head === 0xce) return log.readUInt32BE(at + 1);
  return -1;
}

/** The place after a MessagePack item, of the kinds that a log can hold. */
function itemEnd(log: Buffer, at: number, depth = 0): number {
  const head = log.readUInt8(at);
  if (depth > 8) throw new Error("expected at most 8 levels");
  const fixed = new Map([[0xc0, 0], [0xc2, 0], [0xc3, 0], [0xcc, 1], [0xcd, 2], [0xce, 4], [0xcf, 8], [0xd0, 1],
    [0xd1, 2], [0xd2, 4], [0xd3, 8]]).get(head); // prettier-ignore
  let end = at + 1;
  if (fixed !== undefined) end += fixed;
  else if (head >= 0xa0 && head <= 0xbf) end += head & 0x1f;
  else if (head === 0xc4 || head === 0xd9) end += 1 + log.readUInt8(end);
  else if (head === 0xc5 || head === 0xda) end += 2 + log.readUInt16BE(end);
  else if ((head >= 0x80 && head <= 0x9f) || head === 0xdc || head === 0xde) {
    const long = head >= 0xdc;
    const count = long ? log.readUInt16BE(end) : head & 0x0f;
    if (long) end += 2;
    const pairs = head < 0x90 || head === 0xde;
    for (let each = 0; each < (pairs ? 2 * count : count); each += 1) end = itemEnd(log, end, depth + 1);
  } else if (head >= 0x80 && head < 0xe0) throw new Error(`expected an item of a log, got byte ${head}`);
  if (end > log.length) throw new Error("expected a whole entry");
  return end;
}
