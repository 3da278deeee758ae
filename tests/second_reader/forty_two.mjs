// Forty-two as a state that moves are applied to.

import { u32 } from "./deals.mjs";
import { demand } from "./illegal.mjs";
import { optionBytes } from "./options.mjs";
import { isShake, isDouble, has, tileOf } from "./tiles.mjs";
import { DOUBLES, isOf, isTrump, pointsOf, suitLed, winnerOf } from "./tricks.mjs";

const SEATS = 4;
const HAND = 7;
const PASS = 0;
const NOBODY = 255;
const PHASES = ["lot", "shake", "auction", "naming", "playing", "over"];
const ENDINGS = ["target", "round_limit", "draw", "abandoned"];

export const REASON = /^[a-z0-9_-]{1,64}$/;

const left = (seat) => (seat + 1) % SEATS;
const sideOf = (seat) => seat % 2;

export class FortyTwo {
  static game = "forty_two";

  constructor(options, first) {
    this.options = options;
    this.seats = SEATS;
    this.shakes = 0;
    this.scores = [0, 0];
    this.shaker = first;
    this.last = null;
    this.phase = first === null && !this.holderOpens ? "lot" : "shake";
    this.round = null;
    this.outcome = null;
  }

  get holderOpens() {
    return this.options.opener === "holder_of_1_0";
  }

  get tilesInPlay() {
    return this.round !== null;
  }

  /** Applies a move, or throws Illegal and changes nothing. */
  apply(move) {
    demand(this.phase !== "over", "the match is over");
    if (move.kind === "abandon") {
      demand(REASON.test(move.reason), "a reason that is no code");
      return this.#end("abandoned", null);
    }
    const phase = { lot: "lot", shake: "shake", bid: "auction", pass: "auction", name_trump: "naming", play: "playing" };
    demand(phase[move.kind] === this.phase, `${move.kind} in the phase ${this.phase}`);
    if ("seat" in move && move.kind !== "lot") demand(move.seat === this.turn, `it is the turn of seat ${this.turn}`);
    if (move.kind === "lot") return this.#lot(move.seat);
    if (move.kind === "shake") return this.#shake(move.order);
    if (move.kind === "bid") return this.#bid(move.points);
    if (move.kind === "pass") return this.#pass();
    if (move.kind === "name_trump") return this.#name(move.trump);
    return this.#play(move.tile);
  }

  get turn() {
    const { opener, calls, lead, plays } = this.round;
    if (this.phase === "auction") return (opener + calls.length) % SEATS;
    return this.phase === "naming" ? this.bidder : (lead + (plays.length % SEATS)) % SEATS;
  }

  get highest() {
    return Math.max(PASS, ...this.round.calls);
  }

  get bidder() {
    return (this.round.opener + this.round.calls.indexOf(this.highest)) % SEATS;
  }

  get hand() {
    const { order, plays } = this.round;
    return order.slice(HAND * this.turn, HAND * (this.turn + 1)).filter((tile) => !plays.includes(tile));
  }

  /** The tiles that are in other hands. */
  get outside() {
    const { hand } = this;
    return this.round.order.filter((tile) => !hand.includes(tile) && !this.round.plays.includes(tile));
  }

  exchange(one, other) {
    this.round.order = this.round.order.map((tile) => (tile === one ? other : tile === other ? one : tile));
  }

  /** Which tiles a seat may not hold if it makes this move, and of which it must hold one; null where any will do. */
  unwantedFor(move) {
    if (move.kind !== "play" || this.phase !== "playing" || this.#trick.length === 0) return null;
    const follows = this.#followsIn(this.#trick);
    return follows(move.tile) ? null : follows;
  }

  wantedFor(move) {
    if (move.kind !== "name_trump" || this.options.first_lead === "free") return null;
    return (tile) => (move.trump === DOUBLES ? isDouble(tile) : has(tile, move.trump));
  }

  get #trick() {
    const { plays } = this.round;
    return plays.slice(plays.length - (plays.length % SEATS));
  }

  #followsIn([led]) {
    const suit = suitLed(led, this.round.trump);
    return (tile) => isOf(tile, suit, this.round.trump);
  }

  #lot(seat) {
    demand(seat < SEATS, "no such seat");
    this.shaker = seat;
    this.phase = "shake";
  }

  /** Lays the tiles of the latest shake out otherwise. */
  redeal(order) {
    Object.assign(this.round, { order, opener: this.#openerOf(order) });
  }

  #openerOf(order) {
    return this.holderOpens ? Math.floor(order.indexOf(tileOf(1, 0)) / HAND) : left(this.shaker);
  }

  #shake(order) {
    demand(isShake(order), "a shake has each tile once");
    this.round = { opener: this.#openerOf(order), order, calls: [], trump: null, lead: null, plays: [], taken: [0, 0] };
    this.shakes += 1;
    this.phase = "auction";
  }

  #bid(points) {
    demand(points <= 42, "no bid goes above 42");
    demand(points >= this.#lowestBid(), "the bid is too low");
    this.#call(points);
  }

  #lowestBid() {
    return Math.max(this.#mustBid() && this.options.all_pass === "forced_31" ? 31 : 30, this.highest + 1);
  }

  #mustBid() {
    const { calls } = this.round;
    return this.options.all_pass.startsWith("forced") && calls.length === 3 && this.highest === PASS;
  }

  #pass() {
    demand(!this.#mustBid(), "the last seat must bid");
    this.#call(PASS);
  }

  #call(points) {
    this.round.calls.push(points);
    if (this.round.calls.length < SEATS) return;
    if (this.highest > PASS) {
      this.phase = "naming";
      return;
    }
    this.last = { opener: this.round.opener };
    this.#close(this.options.all_pass === "redeal_same" ? this.shaker : null, null);
  }

  #name(trump) {
    demand(trump <= DOUBLES, "no such trump");
    demand(trump !== DOUBLES || this.options.doubles_trump, "doubles are no trump here");
    const wanted = this.wantedFor({ kind: "name_trump", trump });
    demand(wanted === null || this.hand.some(wanted), "no tile in hand could lead that trump");
    this.round.trump = trump;
    this.round.lead = this.bidder;
    this.phase = "playing";
  }

  #play(tile) {
    const { round, hand } = this;
    demand(hand.includes(tile), "the tile is not in this hand");
    const trick = this.#trick;
    if (round.plays.length === 0) {
      demand(this.options.first_lead === "free" || isTrump(tile, round.trump), "the first lead is a trump");
    } else if (trick.length > 0) {
      const follows = this.#followsIn(trick);
      demand(follows(tile) || !hand.some(follows), "the led suit must be followed");
    }
    round.plays.push(tile);
    trick.push(tile);
    if (trick.length < SEATS) return;
    round.lead = (round.lead + winnerOf(trick, round.trump)) % SEATS;
    round.taken[sideOf(round.lead)] += pointsOf(trick);
    if (round.plays.length === HAND * SEATS) this.#score();
  }

  /** What a played round brings to the bidding side and to the other. */
  static gains(options, bid, points) {
    if (points < bid) return [0, 42 - points + bid];
    return [
      points + (options.made_score === "points_plus_bid" ? bid : 0),
      options.defenders_keep_on_made ? 42 - points : 0,
    ];
  }

  #score() {
    const { opener, calls, trump, plays, taken } = this.round;
    const bidding = sideOf(this.bidder);
    const [theirs, others] = FortyTwo.gains(this.options, this.highest, taken[bidding]);
    this.scores[bidding] += theirs;
    this.scores[1 - bidding] += others;
    this.last = { opener, calls, trump, points: taken[bidding], plays };
    this.#close(null, bidding);
  }

  /** Ends the round; `shaker` shakes again, null: the next one does. `bidding` is null if all passed. */
  #close(shaker, bidding) {
    this.round = null;
    const { target, round_limit: limit } = this.options;
    const reached = [0, 1].filter((side) => this.scores[side] >= target);
    if (bidding !== null && reached.length === 1) return this.#end("target", reached[0]);
    if (bidding !== null && reached.length === 2 && this.#bothReached(bidding)) return undefined;
    if (limit !== null && this.shakes >= limit) return this.#end("round_limit", this.#ahead());
    this.shaker = this.holderOpens ? null : (shaker ?? left(this.shaker));
    this.phase = "shake";
    return undefined;
  }

  #ahead() {
    const [a, b] = this.scores;
    return a === b ? null : Number(b > a);
  }

  #bothReached(bidding) {
    const { both_reach: who, tie } = this.options;
    if (who === "bidder") this.#end("target", bidding);
    else if (this.#ahead() !== null) this.#end("target", this.#ahead());
    else if (tie === "bidder") this.#end("target", bidding);
    else if (tie === "draw") this.#end("draw", null);
    return this.phase === "over";
  }

  #end(ending, winner) {
    this.round = null;
    this.shaker = null;
    this.phase = "over";
    this.outcome = { ending, winner, scores: this.scores };
  }

  /** The public part of the state. */
  publicBytes() {
    return Buffer.concat([
      Buffer.from([1, ...optionBytes("forty_two", this.options)]),
      u32(this.shakes), u32(this.scores[0]), u32(this.scores[1]),
      Buffer.from([this.shaker ?? NOBODY, ...this.#lastBytes(), PHASES.indexOf(this.phase), ...this.#phaseBytes()]),
    ]);
  }

  #lastBytes() {
    if (this.last === null) return [0];
    const { opener, calls, trump, points, plays } = this.last;
    return calls ? [2, opener, ...calls, trump, points, ...plays] : [1, opener];
  }

  #phaseBytes() {
    if (this.phase === "over") return [ENDINGS.indexOf(this.outcome.ending), this.outcome.winner ?? NOBODY];
    if (this.round === null) return [];
    const { opener, calls, trump, taken, plays } = this.round;
    if (this.phase === "auction") return [opener, calls.length, ...calls];
    if (this.phase === "naming") return [opener, ...calls];
    return [opener, ...calls, trump, this.turn, ...taken, plays.length, ...plays];
  }
}
