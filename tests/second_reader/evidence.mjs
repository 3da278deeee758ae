// What stands beside a log and speaks for it: the revealed secret, and signatures over its heads.

import { createPublicKey, verify } from "node:crypto";
import { commitment, lotSeed, orderFrom, rootOf, seatFrom, shakeSalt, shakeSeed, u32 } from "./deals.mjs";

const ED25519 = Buffer.from("302a300506032b6570032100", "hex"); // what stands before a bare public key in its DER form

/** The shakes and lots of a log, and whether the revealed secret led to them. */
export class Deal {
  constructor(header) {
    this.header = header;
    this.chances = [];
    this.revealed = false;
    this.shownWhole = true;
  }

  /** `root` of a shake or `lot` (a move), the `made`-th, in the entry `sequence` that begins at `start`. */
  add(chance) {
    this.chances.push(chance);
  }

  get scripted() {
    return this.header.marks.includes("scripted");
  }

  commits(secret) {
    return this.header.commitment?.equals(commitment(secret)) ?? false;
  }

  /** The first chance that the secret does not give, if any. */
  reveal(secret) {
    this.revealed = true;
    return this.scripted ? undefined : this.chances.find((chance) => !followsFrom(secret, chance));
  }

  statement(over) {
    if (this.scripted) return "scripted";
    if (this.header.initial?.root) return "imported";
    if (this.revealed && this.chances.length > 0) return "proven";
    return !over && !this.revealed && this.chances.length > 0 && this.shownWhole ? "opened" : "unproven";
  }
}

function followsFrom(secret, { root, lot, made }) {
  if (root) return rootOf(orderFrom(shakeSeed(secret, made)), shakeSalt(secret, made)).equals(root);
  const seed = lotSeed(secret, made);
  if ("seat" in lot) return seatFrom(seed) === lot.seat;
  const order = orderFrom(seed);
  return lot.tiles.every((tile, seat) => tile === order[seat]);
}

/** Signatures over the heads of one log; `keys` has public keys (32 bytes) by key id in hex, or is null. */
export class Signatures {
  constructor(header, keys) {
    Object.assign(this, { header, keys });
    this.statement = "absent";
    this.covered = -1; // the last sequence under a signature that was checked
  }

  /** Takes a signature whose head is of this log; false if it is not by the key that it names. */
  add({ sequence, link, key, signature }) {
    const raw = this.keys?.[key.toString("hex")];
    if (this.statement === "absent") this.statement = "unchecked";
    if (!raw) return true;
    const publicKey = createPublicKey({ key: Buffer.concat([ED25519, raw]), format: "der", type: "spki" });
    if (!verify(null, this.#signed(sequence, link), publicKey, signature)) return false;
    this.statement = "checked";
    this.covered = Math.max(this.covered, sequence);
    return true;
  }

  #signed(sequence, link) {
    const [owner, id] = [Buffer.from(this.header.owner), Buffer.from(this.header.match_id)];
    const statement = Buffer.from("dominohall/head/1\0");
    return Buffer.concat([statement, u32(owner.length), owner, u32(id.length), id, u32(sequence), link]);
  }
}
