// Shakes and lots: seeds from the match secret, the order from a seed, and the salted root over the 28 places.

import { createHmac } from "node:crypto";
import { sha256 } from "./chain.mjs";
import { TILES } from "./tiles.mjs";

const hmac = (key, ...parts) => {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

export function u32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

const u8 = (...numbers) => Buffer.from(numbers);

export function matchSecret(dealKey, owner, matchId) {
  const [who, which] = [Buffer.from(owner), Buffer.from(matchId)];
  return hmac(dealKey, "dominohall/match-secret/1\0", u32(who.length), who, u32(which.length), which);
}

export const commitment = (secret) => sha256("dominohall/commitment/1\0", secret);
export const shakeSeed = (secret, n) => hmac(secret, "dominohall/shake/1\0", u32(n));
export const lotSeed = (secret, n) => hmac(secret, "dominohall/lot/1\0", u32(n));
export const shakeSalt = (secret, n) => hmac(secret, "dominohall/salt/1\0", u32(n));

/** Numbers from a seed: block after block of a stream of bytes, with those skipped that would favour some. */
class Stream {
  constructor(seed) {
    this.seed = seed;
    this.blocks = 0;
    this.rest = [];
  }

  below(m) {
    for (;;) {
      if (this.rest.length === 0) {
        this.rest = [...sha256("dominohall/shuffle/1\0", this.seed, u32(this.blocks))];
        this.blocks += 1;
      }
      const byte = this.rest.shift();
      if (byte < 256 - (256 % m)) return byte % m;
    }
  }
}

export function orderFrom(seed) {
  const stream = new Stream(seed);
  const order = Array.from({ length: TILES }, (_, tile) => tile);
  for (let i = TILES - 1; i >= 1; i -= 1) {
    const j = stream.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

export const seatFrom = (seed) => new Stream(seed).below(4);

const EMPTY_LEAF = sha256(u8(2), "dominohall/empty/1\0");

export const leafSalt = (salt, place) => hmac(salt, "dominohall/leaf-salt/1\0", u8(place));
export const leaf = (place, tile, itsSalt) => sha256("\0dominohall/leaf/1\0", u8(place, tile), itsSalt);
const node = (left, right) => sha256(u8(1), left, right);

/** The root over a whole order. */
export function rootOf(order, salt) {
  let row = Array.from({ length: 32 }, (_, place) =>
    place < TILES ? leaf(place, order[place], leafSalt(salt, place)) : EMPTY_LEAF,
  );
  while (row.length > 1) row = row.filter((_, i) => i % 2 === 0).map((left, i) => node(left, row[2 * i + 1]));
  return row[0];
}

/** The root that one opened tile leads to. */
export function rootByPath({ place, tile, salt, path }) {
  return path.reduce(
    (hash, neighbour, height) => ((place >> height) & 1 ? node(neighbour, hash) : node(hash, neighbour)),
    leaf(place, tile, salt),
  );
}
