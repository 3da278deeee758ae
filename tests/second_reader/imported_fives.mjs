// An imported state of fives: its last round is counted again, its round in progress is played again.

import { Fives } from "./fives.mjs";
import { demand } from "./illegal.mjs";
import { optionBytes } from "./options.mjs";
import { has, TILES } from "./tiles.mjs";

const DRAWN = 28;
const KNOCKED = 29;
const NO_TARGET = 2 ** 31; // more than any score that a state may hold
const MOST_A_TILE = 35;
const MOST_A_ROUND = TILES * MOST_A_TILE + 170; // every tile its most, and the pips of all tiles rounded

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export function readFives(options, bytes) {
  demand(bytes.u8() === 1, "another version of the encoding");
  const phase = bytes.u8();
  demand(bytes.take(17).equals(Buffer.from(optionBytes("fives", options))), "other options than the header's");
  const shakes = bytes.u32();
  const leader = bytes.seat(options.seats);
  const last = readLastFives(options, bytes);
  const scores = Array.from({ length: options.partners ? 2 : options.seats }, bytes.u32);
  const found = { phase, shakes, leader, last, scores, dealt: phase === 2, abandoned: false, events: [], places: [] };
  if (phase === 3) found.abandoned = bytes.u8() === 2;
  if (phase === 2) {
    bytes.take(bytes.u8());
    found.events = bytes.list(bytes.u8());
    found.places = bytes.list(found.events.filter((event) => event < TILES).length);
  }
  return found;
}

function readLastFives(options, bytes) {
  const kind = bytes.u8();
  demand(kind <= 3, "a last round of no kind");
  if (kind === 0) return null;
  const last = { kind, leader: bytes.u8(), seat: bytes.seat(options.seats), scored: bytes.u8() };
  demand(last.leader < options.seats, "a leader that is no seat");
  if (kind === 3) return last;
  last.bonus = bytes.u16();
  const masks = Array.from({ length: options.seats }, bytes.u32);
  last.hands = masks.map((mask) => Array.from({ length: 32 }, (_, i) => i).filter((tile) => Math.floor(mask / 2 ** tile) % 2));
  const left = last.hands.flat();
  demand(new Set(left).size === left.length && left.every((tile) => tile < TILES), "a tile twice in the hands left");
  return last;
}

export function leadFives(options, found, rounds, order) {
  const { shakes, scores, last } = found;
  demand(scores.every((score) => score % 5 === 0), "a score that is no multiple of five");
  demand([shakes, ...scores].every((number) => number < NO_TARGET), "more shakes or points than there can be");
  demand(sum(scores) <= MOST_A_ROUND * shakes, "more points than rounds can bring");
  demand(options.round_limit === null || shakes <= options.round_limit, "more rounds than the limit");
  if (found.abandoned) return abandonedFives(options, found);
  const gained = found.dealt ? leadRound(new Fives(options, found.leader), found, order, true).scores : scores.map(() => 0);
  const base = scores.map((score, side) => score - gained[side]);
  const state = last ? settleLast(options, last, rounds, base) : new Fives(options, found.leader);
  demand(last || (rounds === 0 && base.every((score) => score === 0)), "rounds or scores without a last round");
  if (found.phase === 1 || found.dealt) {
    if (state.phase === "lot") Object.assign(state, { leader: found.leader, phase: "shake" });
    demand(state.leader === found.leader && state.leader !== null, "another leader than the last round left");
  }
  return found.dealt ? leadRound(state, found, order, false) : state;
}

/** An abandoned match may have stopped anywhere: its last round must be one, its scores must not have won. */
function abandonedFives(options, { shakes, scores, last }) {
  demand(last ? shakes > 0 && last.kind !== 3 : shakes <= 1, "rounds without a last one, or a last one without rounds");
  demandOpenScores(options, scores);
  const state = new Fives(options, null);
  const loose = { ...options, target: NO_TARGET, round_limit: null };
  if (last) state.last = settleLast(loose, last, 1, scores.map(() => 2000)).last;
  state.scores = scores;
  state.shakes = shakes;
  state.apply({ kind: "abandon", reason: "imported" });
  return state;
}

/** Plays the round in progress; `loose` asks what it brings, wherever the scores stood. */
function leadRound(state, { events, places }, order, loose) {
  if (loose) state.options = { ...state.options, target: NO_TARGET };
  demand(state.phase === "shake", "no shake was due");
  state.apply({ kind: "shake", order });
  const rest = [...places];
  for (const event of events) {
    demand(state.tilesInPlay && event <= KNOCKED, "an event after the round, or of no kind");
    const seat = state.round.turn;
    if (event < TILES) state.apply({ kind: "play", seat, tile: event, place: rest.shift() });
    else state.apply({ kind: event === DRAWN ? "draw" : "knock", seat });
  }
  return state;
}

/** Settles the last round again, from the scores right after it and the hands that it ended with. */
function settleLast(options, last, rounds, scores) {
  const { kind, leader, seat, scored, bonus, hands } = last;
  const state = new Fives(options, leader);
  demand(kind === 2 || seat !== null, "a round that nobody ended");
  demand(scored % 5 === 0 && scored <= (kind === 2 ? 0 : MOST_A_TILE), "points that no last tile scores");
  const side = seat === null ? null : state.sideOf(seat);
  const counted = scores.map((score, s) => score - (s === side ? (bonus ?? 0) : 0));
  const before = counted.map((score, s) => score - (s === side ? scored : 0));
  demand(rounds > 0 && before.every((score) => score >= 0), "less than the last round brought");
  if (kind === 3) demand(!options.finish_hand, "a stop where rounds are played out");
  else demandHands(options, last);
  demandOpenScores(options, kind === 3 ? before : counted);
  state.apply({ kind: "shake", order: Array.from({ length: TILES }, (_, tile) => tile) });
  Object.assign(state, { shakes: rounds, scores: counted });
  Object.assign(state.round, { turn: seat ?? leader, hands });
  if (kind === 3) {
    demand(counted[side] >= options.target, "a stop below the target");
    state.stop(scored);
  } else if (kind === 1) {
    state.out(scored);
  } else {
    state.block();
  }
  return state;
}

/** The hands that a round ended with: no larger, and no more tiles in all, than draws and plays allow. */
function demandHands({ seats, hand_size: size, draw, reserve }, { kind, seat, hands }) {
  const boneyard = TILES - seats * size;
  const stays = draw === "none" ? boneyard : Math.min(reserve, boneyard);
  demand(hands.every((hand) => hand.length <= size + boneyard - stays), "a hand that is too large");
  demand(hands.flat().length <= TILES - stays - (kind === 1 ? size : 1), "too many tiles in all hands");
  demand(hands.every((hand, s) => (hand.length === 0) === (kind === 1 && s === seat)), "other empty hands than who went out");
  const numberIsOut = (number) => !hands.flat().some((tile) => has(tile, number));
  demand(kind === 1 || [0, 1, 2, 3, 4, 5, 6].some(numberIsOut), "a block, and every number held");
}

function demandOpenScores({ finish_hand: finish, target }, scores) {
  demand(finish || scores.every((score) => score < target), "the match was over before");
}
