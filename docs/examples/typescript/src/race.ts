/**
 * Two hosts meet on one match: one is faster, the other learns what it missed and goes on. Then one loses everything.
 *
 *     node build/race.js 127.0.0.1:50051
 */

import { randomUUID } from "node:crypto";

import { Dominohall, Forked } from "./dominohall.js";

const [address = "127.0.0.1:50051"] = process.argv.slice(2);
const one = new Dominohall(address);
const other = new Dominohall(address);

const behind = await one.startMatch({ matchId: randomUUID(), options: { preset: "forty_two.russian" } });
const { match: ahead, record } = await one.apply(behind, { shake: {} });

try {
  await other.apply(behind, { abandon: { reason: "player_absent" } });
  throw new Error("expected to be too late");
} catch (error) {
  if (!(error instanceof Forked)) throw error;
  if (!error.storedLink.equals(record.link)) throw new Error("expected the link of the faster move");
  console.log(`forked at ${error.sequence}: ${error.storedLink.toString("hex")} stands`);
  const { match, missed } = await other.resync(behind);
  if (!match.token.equals(ahead.token)) throw new Error("expected to stand where the faster host stands");
  console.log(`missed ${missed.length}, now at ${match.sequence}`);
}

// A host that kept nothing but the id: the whole log is read, and its chain checked from the header on.
const { match, missed } = await other.resync(undefined, behind.matchId);
console.log(`resumed at ${match.sequence} after ${missed.length} entries`);
one.close();
other.close();
