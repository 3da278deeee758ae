// What the rules forbid.

/** The rules forbid a move, or do not lead to a state. */
export class Illegal extends Error {}

export function demand(holds, why) {
  if (!holds) throw new Illegal(why);
}
