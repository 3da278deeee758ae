// Forty-two of the Polish text as a game of boardgame.io: one round, from the shake to its score.
//
//   boardgame.mjs PEERS                plays random rounds when asked, as playouts.py does
//   boardgame.mjs PEERS --check FILE   plays recorded rounds, and compares turns, legal moves and scores
//
// It is written as boardgame.io's documents have it: moves change G, the library's turn order follows G.turn, endIf ends
// the round. A tile is high * (high + 1) / 2 + low, as in the engine that it is held against.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const [peers, option, file] = process.argv.slice(2);
const { CreateGameReducer, InitializeGame } = createRequire(resolve(peers, "package.json"))("boardgame.io/internal");
const INVALID_MOVE = "INVALID_MOVE";

// --- tables -------------------------------------------------------------------------------------------------------

const HALVES = [];
for (let high = 0; high < 7; high++) for (let low = 0; low <= high; low++) HALVES.push([high, low]);
const COUNT = HALVES.map(([high, low]) => ({ "5,5": 10, "6,4": 10, "5,0": 5, "4,1": 5, "3,2": 5 })[`${high},${low}`] ?? 0);
const bears = (tile, suit) => HALVES[tile].includes(suit);
const suitLed = (tile, trump) => (bears(tile, trump) ? trump : HALVES[tile][0]);
const follows = (tile, suit, trump) => bears(tile, suit) && (suit === trump || !bears(tile, trump));

function rank(tile, suit) {
  const [high, low] = HALVES[tile];
  return high === low ? 7 : high === suit ? low : high;
}

function power(tile, led, trump) {
  if (bears(tile, trump)) return 11 + rank(tile, trump);
  const suit = suitLed(led, trump);
  return follows(tile, suit, trump) ? 1 + rank(tile, suit) : 0;
}

// --- the game -----------------------------------------------------------------------------------------------------

function playable(G) {
  const hand = G.hands[G.turn];
  if (!G.trick.length) return hand;
  const suit = suitLed(G.trick[0], G.trump);
  const following = hand.filter((tile) => follows(tile, suit, G.trump));
  return following.length ? following : hand;
}

function called(G, points) {
  G.calls.push(points);
  if (points) [G.highest, G.bidder] = [points, G.turn];
  G.turn = (G.turn + 1) % 4;
  if (G.calls.length < 4) return;
  if (!G.highest) G.gained = [0, 0]; // thrown in
  else [G.phase, G.turn] = ["naming", G.bidder];
}

function score(G) {
  const side = G.bidder % 2;
  const made = G.taken[side] >= G.highest;
  G.gained = [0, 0];
  G.gained[side] = made ? G.taken[side] : 0;
  G.gained[1 - side] = G.taken[1 - side] + (made ? 0 : G.highest);
}

const game = {
  name: "forty-two",
  setup: ({ random }, { order } = {}) => {
    const tiles = order ?? random.Shuffle(HALVES.map((_, tile) => tile));
    const hands = [0, 1, 2, 3].map((seat) => tiles.slice(7 * seat, 7 * seat + 7).sort((a, b) => a - b));
    const empty = { calls: [], highest: 0, bidder: null, trump: null, trick: [], tricks: 0, taken: [0, 0], gained: null };
    return { hands, phase: "auction", turn: 1, ...empty };
  },
  turn: { minMoves: 1, maxMoves: 1, order: { first: ({ G }) => G.turn, next: ({ G }) => G.turn } },
  moves: {
    bid: ({ G }, points) => {
      if (G.phase !== "auction" || points < 30 || points > 42 || points <= G.highest) return INVALID_MOVE;
      called(G, points);
    },
    pass: ({ G }) => {
      if (G.phase !== "auction") return INVALID_MOVE;
      called(G, 0);
    },
    name: ({ G }, trump) => {
      if (G.phase !== "naming" || !(trump >= 0 && trump <= 6)) return INVALID_MOVE;
      [G.phase, G.trump] = ["playing", trump];
    },
    play: ({ G }, tile) => {
      if (G.phase !== "playing" || !playable(G).includes(tile)) return INVALID_MOVE;
      G.hands[G.turn].splice(G.hands[G.turn].indexOf(tile), 1);
      G.trick.push(tile);
      G.turn = (G.turn + 1) % 4;
      if (G.trick.length < 4) return;
      const powers = G.trick.map((each) => power(each, G.trick[0], G.trump));
      const winner = (G.turn + powers.indexOf(Math.max(...powers))) % 4; // G.turn led
      G.taken[winner % 2] += G.trick.reduce((points, each) => points + COUNT[each], 1);
      [G.turn, G.trick] = [winner, []];
      if (++G.tricks === 7) score(G);
    },
  },
  endIf: ({ G }) => (G.gained ? { gained: G.gained } : undefined),
  ai: {
    enumerate: (G) => {
      if (G.phase === "naming") return [0, 1, 2, 3, 4, 5, 6].map((trump) => ({ move: "name", args: [trump] }));
      if (G.phase === "playing") return playable(G).map((tile) => ({ move: "play", args: [tile] }));
      const moves = [{ move: "pass", args: [] }];
      for (let points = Math.max(30, G.highest + 1); points <= 42; points++) moves.push({ move: "bid", args: [points] });
      return moves;
    },
  },
};

// --- driving it ---------------------------------------------------------------------------------------------------

const reduce = CreateGameReducer({ game });
const begin = (setupData) => InitializeGame({ game, numPlayers: 4, setupData });

function make(state, { move, args }) {
  const payload = { type: move, args, playerID: state.ctx.currentPlayer };
  return reduce(state, { type: "MAKE_MOVE", payload });
}

function playouts(rounds) {
  let moves = 0;
  for (let round = 0; round < rounds; round++) {
    let state = begin();
    while (!state.ctx.gameover) {
      const legal = game.ai.enumerate(state.G);
      state = make(state, legal[Math.floor(Math.random() * legal.length)]);
      moves++;
    }
  }
  return moves;
}

function check(rounds) {
  for (const { order, steps, gained } of rounds) {
    let state = begin({ order });
    for (const { seat, legal, move, args } of steps) {
      const mine = game.ai.enumerate(state.G).map((each) => [each.move, ...each.args].join(" "));
      const same = Number(state.ctx.currentPlayer) === seat && mine.sort().join() === legal.sort().join();
      if (!same) return `seat ${seat}: ${legal} / seat ${state.ctx.currentPlayer}: ${mine}`;
      state = make(state, { move, args });
    }
    const found = state.ctx.gameover?.gained;
    if (String(found) !== String(gained)) return `gained ${gained} / ${found}`;
  }
  return "";
}

if (option === "--check") {
  const difference = check(JSON.parse(readFileSync(file, "utf8")));
  console.log(difference || "the same");
  process.exit(difference ? 1 : 0);
}
for await (const line of createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  const moves = playouts(Number(line));
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ moves, cpu: (user + system) / 1e6 }));
}
