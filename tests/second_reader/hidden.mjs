// A shake of which some tiles are hidden: any tile that is not shown may lie at any place that is not opened.

import { TILES, tileOf } from "./tiles.mjs";

export class HiddenTiles {
  /** `shown`: the opened places, each with its tile. The tiles that are not shown fill the other places, somehow. */
  constructor(shown) {
    this.known = new Set(shown.map(({ tile }) => tile));
    this.order = Array(TILES).fill(null);
    for (const { place, tile } of shown) this.order[place] = tile;
    const rest = Array.from({ length: TILES }, (_, tile) => tile).filter((tile) => !this.known.has(tile));
    this.order = this.order.map((tile) => tile ?? rest.shift());
  }

  #isHidden = (tile) => !this.known.has(tile);

  /** The orders in which a hidden 1-0 lies with one seat after another; it stays where the last one has it. */
  *ordersByHolder() {
    const tile = tileOf(1, 0);
    if (this.known.has(tile)) return;
    this.learn(tile);
    for (let seat = 0; seat < 4; seat += 1) {
      const isTheirs = (place) => Math.floor(place / 7) === seat;
      const there = this.order.findIndex((held, place) => isTheirs(place) && (held === tile || this.#isHidden(held)));
      if (there < 0) continue;
      const here = this.order.indexOf(tile);
      [this.order[here], this.order[there]] = [this.order[there], this.order[here]];
      yield [...this.order];
    }
  }

  /** From now on it is a fact where this tile lies. */
  learn(tile) {
    this.known.add(tile);
  }

  /** Exchanges hidden tiles so that a move is legal, where any exchange makes it so. */
  arrange(state, move) {
    if (!state.tilesInPlay || move.seat !== state.turn) return;
    const mine = () => state.hand.filter(this.#isHidden);
    const others = () => state.outside.filter(this.#isHidden);
    if (move.kind === "play") {
      if (others().includes(move.tile) && mine().length > 0) state.exchange(mine()[0], move.tile);
      if (state.hand.includes(move.tile)) this.learn(move.tile);
    }
    const unwanted = state.unwantedFor(move);
    if (unwanted) {
      const away = mine().filter(unwanted);
      const instead = others().filter((tile) => !unwanted(tile));
      for (const [i, tile] of away.entries()) if (i < instead.length) state.exchange(tile, instead[i]);
    }
    const wanted = state.wantedFor(move);
    if (wanted && !state.hand.some(wanted)) {
      const tile = others().find(wanted);
      if (tile !== undefined && mine().length > 0) state.exchange(mine()[0], tile);
    }
  }
}
