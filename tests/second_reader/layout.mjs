// The layout of fives: what its open ends show, where a tile may go, and what the ends come to.

import { has, high, isDouble, low, other } from "./tiles.mjs";

export const START = 0;
const [LEFT, RIGHT, SIDE_1, SIDE_2, END_1, END_2] = [1, 2, 3, 4, 5, 6];
const EMPTY = 14;

const endOf = (tile, joined) => (isDouble(tile) ? 7 + high(tile) : other(tile, joined));
const numberAt = (end) => (end < 7 ? end : end - 7);
const countOf = (end) => (end < 7 ? end : end === EMPTY ? 0 : 2 * (end - 7));

/** `line`: no byte, [alone] or [left, right]; or, with a spinner, `arms`: [side 1, side 2, end 1, end 2]. */
export class Layout {
  constructor(mode) {
    this.mode = mode;
    this.line = [];
    this.spinner = null;
    this.arms = null;
  }

  get empty() {
    return this.line.length === 0 && this.spinner === null;
  }

  shape() {
    return this.spinner === null ? [...this.line] : [this.spinner, ...this.arms];
  }

  /** The sum of the open ends. */
  total() {
    const ends = (this.arms ?? this.line).map(countOf);
    const covered = this.spinner === null || (this.arms[0] !== EMPTY && this.arms[1] !== EMPTY);
    return ends.reduce((sum, count) => sum + count, covered ? 0 : 2 * this.spinner);
  }

  /**
   * Each place that is open, with the number that it asks for. Where nothing lies yet places look the same, and only
   * the lowest is open; arms that end in the same number are different places.
   */
  open() {
    const places = this.#places();
    const bare = places.find(([, end]) => end === EMPTY);
    const open = places.filter((place) => place[1] !== EMPTY || place === bare);
    return open.map(([place, end]) => ({ place, number: end === EMPTY ? this.spinner : numberAt(end) }));
  }

  #places() {
    if (this.spinner === null) return this.line.map((end, i) => [[LEFT, RIGHT][i], end]);
    const places = this.arms.map((end, i) => [[SIDE_1, SIDE_2, END_1, END_2][i], end]);
    const bare = places.filter(([, end]) => end === EMPTY);
    if (this.mode === "all_four_first" && bare.length > 0) return bare.slice(0, 1);
    const sidesCovered = !bare.some(([place]) => place === SIDE_1 || place === SIDE_2);
    return sidesCovered ? places : places.slice(0, 2);
  }

  /** The places where a tile may go. */
  placesFor(tile) {
    if (this.empty) return [START];
    return this.open().filter(({ number }) => has(tile, number)).map(({ place }) => place);
  }

  put(tile, place) {
    const spins = isDouble(tile) && this.mode !== "none" && this.spinner === null;
    if (place === START) {
      this.line = isDouble(tile) ? [7 + high(tile)] : [high(tile), low(tile)];
      if (spins) this.#spin(tile, EMPTY);
    } else if (this.spinner === null) {
      if (this.line.length === 1) this.line.push(this.line[0]);
      const at = place - LEFT;
      if (spins) this.#spin(tile, this.line[1 - at]);
      else this.line[at] = endOf(tile, numberAt(this.line[at]));
    } else {
      const at = place - SIDE_1;
      this.arms[at] = endOf(tile, this.arms[at] === EMPTY ? this.spinner : numberAt(this.arms[at]));
    }
  }

  #spin(tile, firstArm) {
    this.spinner = high(tile);
    this.arms = [firstArm, EMPTY, EMPTY, EMPTY];
    this.line = [];
  }
}
