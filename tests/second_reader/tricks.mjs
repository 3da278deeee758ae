// Suits and tricks of forty-two.

import { has, high, isDouble, other, pips, tileOf } from "./tiles.mjs";

export const DOUBLES = 7;

const COUNT = new Map([[tileOf(5, 5), 10], [tileOf(6, 4), 10], [tileOf(5, 0), 5], [tileOf(4, 1), 5], [tileOf(3, 2), 5]]);

export const isTrump = (tile, trump) => (trump === DOUBLES ? isDouble(tile) : has(tile, trump));

/** What a led tile asks for: the trump suit, or the number of its higher half. */
export const suitLed = (tile, trump) => (isTrump(tile, trump) ? trump : high(tile));

/** Whether a tile is of a suit under a trump. */
export function isOf(tile, suit, trump) {
  return suit === trump ? isTrump(tile, trump) : has(tile, suit) && !isTrump(tile, trump);
}

const rank = (tile, suit) => (suit === DOUBLES ? pips(tile) : isDouble(tile) ? 7 : other(tile, suit));

/** The place (0 to 3, in the order played) of the tile that wins a trick. */
export function winnerOf(trick, trump) {
  const led = suitLed(trick[0], trump);
  const strength = (tile) =>
    isTrump(tile, trump) ? 100 + rank(tile, trump) : isOf(tile, led, trump) ? rank(tile, led) : -1;
  return trick.reduce((best, tile, i) => (strength(tile) > strength(trick[best]) ? i : best), 0);
}

export const pointsOf = (trick) => trick.reduce((sum, tile) => sum + (COUNT.get(tile) ?? 0), 1);
