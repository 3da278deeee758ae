// Fives as a state that moves are applied to.

import { u32 } from "./deals.mjs";
import { REASON } from "./forty_two.mjs";
import { demand } from "./illegal.mjs";
import { Layout } from "./layout.mjs";
import { optionBytes } from "./options.mjs";
import { high, isDouble, isShake, pips, TILES } from "./tiles.mjs";

const NOBODY = 255;
const DRAWN = 28;
const KNOCKED = 29;
const PHASES = ["lot", "shake", "playing", "over"];
const ENDINGS = ["target", "round_limit", "abandoned"];

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const handPips = (hand) => sum(hand.map(pips));
const rounded = (points) => Math.floor((points + 2) / 5) * 5;
const lightness = (tile) => pips(tile) * 7 + high(tile);

export class Fives {
  static game = "fives";

  constructor(options, first) {
    this.options = options;
    this.seats = options.seats;
    this.sides = options.partners ? 2 : options.seats;
    this.shakes = 0;
    this.scores = Array(this.sides).fill(0);
    this.leader = first;
    this.last = null;
    this.phase = first === null ? "lot" : "shake";
    this.round = null;
    this.outcome = null;
  }

  get tilesInPlay() {
    return this.round !== null;
  }

  sideOf(seat) {
    return this.options.partners ? seat % 2 : seat;
  }

  /** Applies a move, or throws Illegal and changes nothing. */
  apply(move) {
    demand(this.phase !== "over", "the match is over");
    if (move.kind === "abandon") {
      demand(REASON.test(move.reason), "a reason that is no code");
      this.leader = null;
      return this.#end("abandoned", null);
    }
    const phase = { lot: "lot", shake: "shake" }[move.kind] ?? "playing";
    demand(phase === this.phase, `${move.kind} in the phase ${this.phase}`);
    if (move.kind === "lot") return this.#lot(move.tiles);
    if (move.kind === "shake") return this.#shake(move.order);
    demand(move.seat === this.round.turn, `it is the turn of seat ${this.round.turn}`);
    if (move.kind === "play") return this.#play(move.tile, move.place);
    return move.kind === "draw" ? this.#draw() : this.#knock();
  }

  #lot(tiles) {
    demand(tiles.length === this.seats && tiles.every((tile) => tile < TILES), "one tile a seat");
    demand(new Set(tiles).size === tiles.length, "a lot draws different tiles");
    const weight = (tile) => (isDouble(tile) ? 1000 : 0) + lightness(tile);
    this.leader = tiles.reduce((best, tile, seat) => (weight(tile) > weight(tiles[best]) ? seat : best), 0);
    this.phase = "shake";
  }

  #shake(order) {
    demand(isShake(order), "a shake has each tile once");
    const size = this.options.hand_size;
    this.round = {
      hands: Array.from({ length: this.seats }, (_, seat) => order.slice(size * seat, size * (seat + 1))),
      boneyard: order.slice(size * this.seats),
      layout: new Layout(this.options.spinner),
      turn: this.leader,
      events: [],
      places: [],
      drew: false,
      knocks: 0,
    };
    this.shakes += 1;
    this.phase = "playing";
  }

  get turn() {
    return this.round.turn;
  }

  get hand() {
    return this.round.hands[this.round.turn];
  }

  /** The tiles that are in other hands or in the boneyard. */
  get outside() {
    const { hands, boneyard, turn } = this.round;
    return [...hands.flatMap((hand, seat) => (seat === turn ? [] : hand)), ...boneyard];
  }

  exchange(one, other) {
    const swapped = (tiles) => tiles.map((tile) => (tile === one ? other : tile === other ? one : tile));
    this.round.hands = this.round.hands.map(swapped);
    this.round.boneyard = swapped(this.round.boneyard);
  }

  /** Which tiles a seat may not hold if it makes this move, and of which it must hold one; null where any will do. */
  unwantedFor({ kind }) {
    return kind === "play" ? null : (tile) => this.round.layout.placesFor(tile).length > 0;
  }

  wantedFor() {
    return null;
  }

  #stuck() {
    return this.hand.every((tile) => this.round.layout.placesFor(tile).length === 0);
  }

  get #boneyardGives() {
    return this.options.draw !== "none" && this.round.boneyard.length > this.options.reserve;
  }

  get #mayDraw() {
    return this.#boneyardGives && !(this.options.draw === "one" && this.round.drew);
  }

  #draw() {
    demand(this.#stuck(), "a seat that can play may not draw");
    demand(this.#mayDraw, "the boneyard gives no more");
    this.hand.push(this.round.boneyard.shift());
    this.round.drew = true;
    this.round.events.push(DRAWN);
  }

  #knock() {
    demand(this.#stuck(), "a seat that can play may not knock");
    demand(!this.#mayDraw, "a stuck seat draws");
    this.round.events.push(KNOCKED);
    this.round.knocks += 1;
    if (this.round.knocks >= this.seats && !this.#boneyardGives) this.block();
    else this.#pass();
  }

  #pass() {
    this.round.turn = (this.round.turn + 1) % this.seats;
    this.round.drew = false;
  }

  #play(tile, place) {
    const { round } = this;
    demand(this.hand.includes(tile), "the tile is not in this hand");
    demand(round.layout.placesFor(tile).includes(place), "the tile does not go there");
    this.hand.splice(this.hand.indexOf(tile), 1);
    round.layout.put(tile, place);
    round.events.push(tile);
    round.places.push(place);
    round.knocks = 0;
    const total = round.layout.total();
    const scores = total % 5 === 0 && (round.places.length > 1 || this.options.opening_scores) ? total : 0;
    this.scores[this.sideOf(round.turn)] += scores;
    if (!this.options.finish_hand && this.#reached()) this.stop(scores);
    else if (this.hand.length === 0) this.out(scores);
    else this.#pass();
  }

  #reached() {
    return this.scores.some((score) => score >= this.options.target);
  }

  /** The match stops at the target in the middle of a round. */
  stop(scored) {
    const { turn } = this.round;
    this.last = { kind: 3, leader: this.leader, seat: turn, scored };
    this.leader = turn; // who would lead next, as after any round won
    this.#end("target", this.sideOf(turn));
  }

  /** A seat has gone out. */
  out(scored) {
    const { turn, hands } = this.round;
    const side = this.sideOf(turn);
    const bonus = rounded(sum(hands.map((hand, seat) => (this.sideOf(seat) === side ? 0 : handPips(hand)))));
    this.scores[side] += bonus;
    this.#close({ kind: 1, seat: turn, scored, bonus }, turn);
  }

  /** All seats have knocked. */
  block() {
    const { hands } = this.round;
    const totals = Array(this.sides).fill(0);
    for (const [seat, hand] of hands.entries()) totals[this.sideOf(seat)] += handPips(hand);
    const side = this.#blockWinner(totals);
    if (side === null) return this.#close({ kind: 2, seat: null, scored: 0, bonus: 0 }, this.#leaderAfterTie());
    const others = sum(totals) - totals[side];
    const bonus = rounded(this.options.block_score === "difference" ? others - totals[side] : others);
    this.scores[side] += bonus;
    const seat = this.#lightestOf(side);
    return this.#close({ kind: 2, seat, scored: 0, bonus }, this.options.block_lead === "winner" ? seat : null);
  }

  #blockWinner(totals) {
    const fewest = Math.min(...totals);
    const sides = totals.flatMap((total, side) => (total === fewest ? [side] : []));
    if (sides.length === 1) return sides[0];
    if (this.options.tie === "nobody") return null;
    const lightest = (side) =>
      Math.min(...this.round.hands.flatMap((hand, seat) => (this.sideOf(seat) === side ? hand.map(lightness) : [])));
    return sides.reduce((best, side) => (lightest(side) < lightest(best) ? side : best));
  }

  /** The seat of a side with the fewest pips; between equals the first in turn from the leader on. */
  #lightestOf(side) {
    const inTurn = Array.from({ length: this.seats }, (_, i) => (this.leader + i) % this.seats);
    const seats = inTurn.filter((seat) => this.sideOf(seat) === side);
    const held = (seat) => handPips(this.round.hands[seat]);
    return seats.reduce((best, seat) => (held(seat) < held(best) ? seat : best));
  }

  #leaderAfterTie() {
    if (this.options.tie_lead === "redraw") return null;
    return this.options.tie_lead === "previous_leader" ? this.leader : (this.leader + 1) % this.seats;
  }

  #close(last, leader) {
    this.last = { leader: this.leader, hands: this.round.hands, ...last };
    this.leader = leader;
    this.round = null;
    const best = Math.max(...this.scores);
    const ahead = this.scores.filter((score) => score === best).length === 1 ? this.scores.indexOf(best) : null;
    const limit = this.options.round_limit;
    if (best >= this.options.target && ahead !== null) return this.#end("target", ahead);
    if (limit !== null && this.shakes >= limit) return this.#end("round_limit", ahead);
    this.phase = leader === null ? "lot" : "shake";
    return undefined;
  }

  #end(ending, winner) {
    this.round = null;
    this.phase = "over";
    this.outcome = { ending, winner, scores: this.scores };
  }

  /** The public part of the state. */
  publicBytes() {
    return Buffer.concat([
      Buffer.from([1, PHASES.indexOf(this.phase), ...optionBytes("fives", this.options)]),
      u32(this.shakes),
      Buffer.from([this.leader ?? NOBODY, ...this.#lastBytes()]),
      ...this.scores.map(u32),
      Buffer.from(this.#phaseBytes()),
    ]);
  }

  #lastBytes() {
    if (this.last === null) return [0];
    const { kind, leader, seat, scored, bonus, hands } = this.last;
    const shared = [kind, leader, seat ?? NOBODY, scored];
    if (kind === 3) return shared;
    const masks = hands.map((hand) => u32(sum(hand.map((tile) => 2 ** tile))));
    return [...shared, bonus >> 8, bonus & 0xff, ...masks.flatMap((mask) => [...mask])];
  }

  #phaseBytes() {
    if (this.phase === "over") return [ENDINGS.indexOf(this.outcome.ending), this.outcome.winner ?? NOBODY];
    if (this.round === null) return [];
    const { layout, events, places } = this.round;
    return [layout.shape().length, ...layout.shape(), events.length, ...events, ...places];
  }
}
