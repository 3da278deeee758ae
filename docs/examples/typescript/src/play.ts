/**
 * Play a whole match of dominoes, and keep the proof of it.
 *
 *     node build/play.js 127.0.0.1:50051 forty_two.polish match.dominohall
 */

import { randomInt, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";

import { Dominohall, type Match, type Move, RefusedMove } from "./dominohall.js";

const [address = "127.0.0.1:50051", preset = "forty_two.polish", file = "match.dominohall"] = process.argv.slice(2);

const hall = new Dominohall(address);
let match = await hall.startMatch({ matchId: randomUUID(), options: { preset } });
console.log(`${preset}: match ${match.matchId} started`);

let refusalShown = false;
let retryShown = false;

for (;;) {
  const { phase, turn, moves } = await hall.legalMoves(match);
  if (phase === "PHASE_OVER") break;

  // Any of them will do here; in your app this is what the player of seat `turn` chose.
  const move = moves[randomInt(moves.length)];
  if (move === undefined) throw new Error(`nothing to do in ${phase}`);

  if (!refusalShown && turn !== undefined) refusalShown = await showRefusal(match, turn, moves);

  const before = match;
  const { match: after, record } = await hall.apply(before, move);

  if (!retryShown && move.play) {
    // Had the reply been lost, we would not know whether the move was made. So we send it again.
    const again = await hall.apply(before, move);
    if (!again.record.link.equals(record.link)) throw new Error("a retry must give the same record");
    console.log(`retried: still record ${again.record.sequence}, link ${again.record.link.toString("hex").slice(0, 16)}`);
    retryShown = true;
  }
  match = after;
}

const outcome = match.state?.outcome;
console.log(`over after ${match.sequence} moves: ${outcome?.ending}, points ${outcome?.points.join(" to ")}`);

const replay = await hall.replay(match.matchId);
await writeFile(file, replay);
console.log(`replay: ${replay.length} bytes in ${file}`);
hall.close();

/** Try a tile that the seat holds and may not play now; say whether there was one. */
async function showRefusal(match: Match, seat: number, legal: Move[]): Promise<boolean> {
  const view = await hall.view(match, seat);
  const held = (view.fortyTwo ?? view.fives)?.hand?.tiles ?? [];
  const tile = held.find((each) => legal.every(({ play }) => play?.tile !== each));
  const example = legal.find(({ play }) => play)?.play; // for its place on the layout, where the game has places
  if (tile === undefined || !example) return false;
  try {
    await hall.apply(match, { play: { ...example, tile } });
  } catch (error) {
    if (!(error instanceof RefusedMove)) throw error;
    const [clause] = error.clauses;
    console.log(`refused: seat ${seat} may not play ${tile}: ${error.reason}, clause ${clause?.id}: ${clause?.text}`);
    return true;
  }
  throw new Error(`seat ${seat} played ${tile} against the rules`);
}
