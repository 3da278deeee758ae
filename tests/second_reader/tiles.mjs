// The 28 tiles of the double-six set, numbered high * (high + 1) / 2 + low.

export const TILES = 28;

const HALVES = [];
for (let high = 0; high <= 6; high += 1) for (let low = 0; low <= high; low += 1) HALVES.push([high, low]);

export const high = (tile) => HALVES[tile][0];
export const low = (tile) => HALVES[tile][1];
export const pips = (tile) => high(tile) + low(tile);
export const isDouble = (tile) => high(tile) === low(tile);
export const has = (tile, half) => high(tile) === half || low(tile) === half;
export const tileOf = (a, b) => (Math.max(a, b) * (Math.max(a, b) + 1)) / 2 + Math.min(a, b);

/** The half of `tile` that is not `half`; of a double, the same again. */
export const other = (tile, half) => pips(tile) - half;

/** Whether `order` has each of the 28 tiles once. */
export function isShake(order) {
  return order.length === TILES && new Set(order).size === TILES && order.every((tile) => tile < TILES);
}
