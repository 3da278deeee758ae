// node vectors.mjs FOLDER: holds this reader against published vectors; prints how many of each file agree.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { link, stateDigest } from "./chain.mjs";
import * as deals from "./deals.mjs";
import { Fives } from "./fives.mjs";
import { FortyTwo } from "./forty_two.mjs";
import { Layout } from "./layout.mjs";
import { decodeMove } from "./moves.mjs";
import { isOf, pointsOf, suitLed, winnerOf } from "./tricks.mjs";

const hex = (bytes) => bytes.toString("hex");
const bytes = (text) => Buffer.from(text, "hex");
const TILES = Array.from({ length: 28 }, (_, tile) => tile);

const CHECKS = {
  follow({ trump, lead, suit, follows }) {
    assert.equal(suitLed(lead, trump), suit);
    assert.deepEqual(TILES.filter((tile) => isOf(tile, suit, trump)), follows);
  },

  tricks({ trump, trick, wins, points }) {
    assert.equal(trick[winnerOf(trick, trump)], wins);
    assert.equal(pointsOf(trick), points);
  },

  layouts({ spinner, plays }) {
    const layout = new Layout(spinner);
    for (const { tile, place, shape, total, fits } of plays) {
      assert.ok(layout.placesFor(tile).includes(place));
      layout.put(tile, place);
      assert.deepEqual(layout.shape(), shape);
      assert.equal(layout.total(), total);
      for (let at = 0; at < 7; at += 1) {
        assert.deepEqual(TILES.filter((each) => layout.placesFor(each).includes(at)), fits[at] ?? []);
      }
    }
  },

  shuffle({ seed, order, seat }) {
    assert.deepEqual(deals.orderFrom(bytes(seed)), order);
    assert.equal(deals.seatFrom(bytes(seed)), seat);
  },

  deals(vector) {
    const secret = deals.matchSecret(bytes(vector.deal_key), vector.owner, vector.match_id);
    assert.equal(hex(secret), vector.match_secret);
    assert.equal(hex(deals.commitment(secret)), vector.commitment);
    const order = deals.orderFrom(deals.shakeSeed(secret, vector.shakes_before));
    const salt = deals.shakeSalt(secret, vector.shakes_before);
    assert.deepEqual([order, hex(salt)], [vector.order, vector.salt]);
    assert.equal(hex(deals.rootOf(order, salt)), vector.root);
    for (const { place, tile, salt: leafSalt, path } of vector.openings) {
      assert.deepEqual([order[place], hex(deals.leafSalt(salt, place))], [tile, leafSalt]);
      const opened = { place, tile, salt: bytes(leafSalt), path: path.map(bytes) };
      assert.equal(hex(deals.rootByPath(opened)), vector.root);
    }
  },

  states({ game, options, states }) {
    const state = new { forty_two: FortyTwo, fives: Fives }[game](options, null);
    for (const { move, order, public: itsPublic, root, digest } of states) {
      state.apply(order ? { kind: "shake", order } : decodeMove(game, bytes(move)));
      assert.equal(hex(state.publicBytes()), itsPublic);
      assert.equal(state.tilesInPlay, root !== null);
      assert.equal(hex(stateDigest(bytes(itsPublic), root && bytes(root))), digest);
    }
    assert.notEqual(state.outcome, null);
  },

  links({ previous, record, link: itsLink }) {
    assert.equal(hex(link(bytes(previous), bytes(record))), itsLink);
  },
};

const counts = {};
for (const [name, check] of Object.entries(CHECKS)) {
  const vectors = JSON.parse(readFileSync(join(process.argv[2], `${name}.json`), "utf8"));
  for (const [line, vector] of vectors.entries()) {
    try {
      check(vector);
    } catch (error) {
      throw new Error(`${name}.json, line ${line + 2}`, { cause: error });
    }
  }
  counts[name] = vectors.length;
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
