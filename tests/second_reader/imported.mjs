// The state that an imported match begins with: read from its public bytes, and led up to by moves, so that the rules
// themselves find out what can't arise.

import { Cursor } from "./cursor.mjs";
import { FortyTwo } from "./forty_two.mjs";
import { demand, Illegal } from "./illegal.mjs";
import { leadFives, readFives } from "./imported_fives.mjs";
import { leadFortyTwo, readFortyTwo } from "./imported_forty_two.mjs";

/** The state that `bytes` are the public part of, or Illegal; `order` is the shake in play, null where none is. */
export function restored(Game, options, bytes, order) {
  const found = (Game === FortyTwo ? readFortyTwo : readFives)(options, new Cursor(bytes));
  demand(found.dealt === (order !== null), "tiles in play without a root, or a root without tiles in play");
  const lead = Game === FortyTwo ? leadFortyTwo : leadFives;
  // Whether a round was in progress when a match was abandoned, the bytes don't say: either may have led here.
  const rounds = found.abandoned ? [found.shakes, found.shakes - 1] : [found.shakes - (found.dealt ? 1 : 0)];
  let why = null;
  for (const count of rounds) {
    try {
      const state = lead(options, found, count, order);
      demand(state.publicBytes().equals(bytes), "a state that the rules do not lead to");
      return state;
    } catch (error) {
      if (!(error instanceof Illegal)) throw error;
      why = error;
    }
  }
  throw why;
}
