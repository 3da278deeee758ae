// The options of the two games: names, values, their order in a state, and which of them go together.

const number = (least, most) => ({ width: 1, knows: (v) => Number.isInteger(v) && v >= least && v <= most, byte: (v) => v });
const wide = (least, most) => ({ ...number(least, most), width: 2 });
const orNil = (kind) => ({ width: kind.width, knows: (v) => v === null || kind.knows(v), byte: (v) => v ?? 0 });
const flag = { width: 1, knows: (v) => typeof v === "boolean", byte: Number };
const word = (...words) => ({ width: 1, knows: (v) => words.includes(v), byte: (v) => words.indexOf(v), words });

export const OPTIONS = {
  forty_two: {
    revision: number(1, 1),
    opener: word("left_of_shaker", "holder_of_1_0"),
    all_pass: word("redeal_next", "redeal_same", "forced_30", "forced_31"),
    doubles_trump: flag,
    first_lead: word("free", "trump"),
    made_score: word("points", "points_plus_bid"),
    defenders_keep_on_made: flag,
    both_reach: word("higher", "bidder"),
    tie: word("bidder", "another_round", "draw"),
    target: wide(50, 1000),
    round_limit: orNil(wide(1, 1000)),
  },
  fives: {
    revision: number(1, 1),
    seats: number(2, 4),
    partners: flag,
    hand_size: number(1, 14),
    draw: word("until_playable", "one", "none"),
    reserve: number(0, 2),
    spinner: word("sides_then_ends", "all_four_first", "none"),
    block_score: word("sum", "difference"),
    tie: word("nobody", "lightest_tile"),
    tie_lead: word("redraw", "previous_leader", "next_seat"),
    block_lead: word("winner", "lot"),
    finish_hand: flag,
    opening_scores: flag,
    target: wide(50, 1000),
    round_limit: orNil(wide(1, 1000)),
  },
};

const GO_TOGETHER = {
  forty_two: (o) =>
    !(o.all_pass === "redeal_same" && o.opener === "holder_of_1_0") && (o.both_reach === "higher" || o.tie === "bidder"),
  fives: (o) =>
    o.seats * o.hand_size <= 28 && (!o.partners || o.seats === 4) && (o.reserve === 0 || o.draw !== "none"),
};

/** The options of a header as an object, or null if they are not all, and only, options that this reader knows. */
export function knownOptions(game, map) {
  const table = OPTIONS[game];
  const options = Object.fromEntries(map);
  const all = Object.keys(table).length === map.size && Object.entries(table).every(([name, o]) => o.knows(options[name]));
  return all && GO_TOGETHER[game](options) ? options : null;
}

/** The options as the bytes that stand in a state. */
export function optionBytes(game, options) {
  return Object.entries(OPTIONS[game]).flatMap(([name, { width, byte }]) => {
    const value = byte(options[name]);
    return width === 1 ? [Number(value)] : [value >> 8, value & 0xff];
  });
}
