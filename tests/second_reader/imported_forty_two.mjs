// An imported state of forty-two: its last round and its round in progress are played again.

import { FortyTwo } from "./forty_two.mjs";
import { demand } from "./illegal.mjs";
import { optionBytes } from "./options.mjs";
import { TILES, tileOf } from "./tiles.mjs";
import { winnerOf } from "./tricks.mjs";

const MOST_A_ROUND = 84; // a bid of 42 that was set, and all 42 points

export function readFortyTwo(options, bytes) {
  demand(bytes.u8() === 1, "another version of the encoding");
  demand(bytes.take(13).equals(Buffer.from(optionBytes("forty_two", options))), "other options than the header's");
  const shakes = bytes.u32();
  const scores = [bytes.u32(), bytes.u32()];
  const shaker = bytes.seat(4);
  const last = readLast(bytes);
  const phase = bytes.u8();
  const found = { shakes, scores, shaker, last, dealt: phase >= 2 && phase <= 4, abandoned: false, moves: [] };
  if (phase === 5) found.abandoned = bytes.u8() === 3;
  if (!found.dealt) return found;
  bytes.u8(); // the opener follows from the shaker, or from the shake
  const calls = bytes.list(phase === 2 ? bytes.u8() : 4);
  const moves = calls.map((points) => (points ? { kind: "bid", points } : { kind: "pass" }));
  if (phase === 4) {
    moves.push({ kind: "name_trump", trump: bytes.u8() });
    bytes.take(3);
    moves.push(...bytes.list(bytes.u8()).map((tile) => ({ kind: "play", tile })));
  }
  return { ...found, moves };
}

function readLast(bytes) {
  const kind = bytes.u8();
  demand(kind <= 2, "a last round of no kind");
  if (kind === 0) return null;
  const opener = bytes.u8();
  demand(opener < 4, "an opener that is no seat");
  if (kind === 1) return { opener, calls: [0, 0, 0, 0] };
  return { opener, calls: bytes.list(4), trump: bytes.u8(), points: bytes.u8(), plays: bytes.list(TILES) };
}

export function leadFortyTwo(options, found, rounds, order) {
  const { last, scores, shaker, shakes } = found;
  let state;
  if (last) {
    state = replayLast(options, last, rounds, scores);
  } else {
    demand(rounds === 0 && scores.every((score) => score === 0), "rounds or scores without a last round");
    demand(shaker === null || options.opener === "left_of_shaker", "a shaker where there is none");
    state = new FortyTwo(options, shaker);
  }
  if (found.abandoned) {
    state.shakes = shakes;
    state.apply({ kind: "abandon", reason: "imported" });
  } else if (found.dealt) {
    state.apply({ kind: "shake", order });
    for (const move of found.moves) applyInTurn(state, move);
  }
  return state;
}

function applyInTurn(state, move) {
  demand(state.tilesInPlay && (move.kind !== "play" || move.tile < TILES), "a move after the round");
  demand(move.kind !== "name_trump" || move.trump <= 7, "a trump that is none");
  state.apply({ ...move, seat: state.turn });
}

/** Plays the last round again, from the scores before it. */
function replayLast(options, last, rounds, scores) {
  const shaker = options.opener === "holder_of_1_0" ? null : (last.opener + 3) % 4;
  const state = new FortyTwo(options, shaker);
  const bid = Math.max(...last.calls);
  const side = (last.opener + last.calls.indexOf(bid)) % 2;
  const gains = bid === 0 ? [0, 0] : FortyTwo.gains(options, bid, last.points);
  state.shakes = rounds - 1;
  state.scores = scores.map((score, s) => score - gains[s === side ? 0 : 1]);
  const level = state.scores[0] === state.scores[1] && options.both_reach === "higher" && options.tie === "another_round";
  demand(state.scores[0] + state.scores[1] <= MOST_A_ROUND * state.shakes, "more points than rounds can bring");
  demandOpen(state, level);
  state.apply({ kind: "shake", order: bid === 0 ? orderWith10At(last.opener) : orderPlayed(last) });
  for (const points of last.calls) applyInTurn(state, points ? { kind: "bid", points } : { kind: "pass" });
  if (bid > 0) {
    applyInTurn(state, { kind: "name_trump", trump: last.trump });
    for (const tile of last.plays) applyInTurn(state, { kind: "play", tile });
    demand(state.last?.points === last.points, "other points than the tricks brought");
  }
  return state;
}

function orderWith10At(opener) {
  const order = Array.from({ length: TILES }, (_, tile) => tile);
  const [here, there] = [tileOf(1, 0), 7 * opener];
  [order[here], order[there]] = [order[there], order[here]];
  return order;
}

/** The hands of a round that was played out, found by playing its tricks with the hands left open. */
function orderPlayed({ opener, calls, trump, plays }) {
  demand(trump <= 7 && plays.every((tile) => tile < TILES), "a trump or tile that is none");
  const hands = [[], [], [], []];
  let lead = (opener + calls.indexOf(Math.max(...calls))) % 4;
  for (let i = 0; i < TILES; i += 4) {
    const trick = plays.slice(i, i + 4);
    for (const [n, tile] of trick.entries()) hands[(lead + n) % 4].push(tile);
    lead = (lead + winnerOf(trick, trump)) % 4;
  }
  return hands.flat();
}

/** What must hold where a round begins; `state` has the scores and the count of shakes before it. */
function demandOpen(state, undecided) {
  demand(state.scores.every((score) => score >= 0), "less than the last round brought");
  demand(state.shakes >= 0 && (state.shakes > 0 || state.scores.every((score) => score === 0)), "a score before the first round");
  const limit = state.options.round_limit;
  demand(limit === null || state.shakes < limit, "more rounds than the limit");
  demand(undecided || state.scores.every((score) => score < state.options.target), "the match was over before");
}
