// node main.mjs [--keys JSON] [--head SEQUENCE:LINK] FILE-or-FOLDER...   one line of JSON for each log
// node main.mjs [--keys JSON] [--head SEQUENCE:LINK] --batch             logs on standard input, u32 length before each
//
// JSON of --keys: an object with the public key (64 hex digits) by the key id (hex).

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { verify } from "./verify.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { batch: { type: "boolean" }, keys: { type: "string" }, head: { type: "string" } },
});

function keysOf(text) {
  const pairs = Object.entries(JSON.parse(text));
  return Object.fromEntries(pairs.map(([id, key]) => [id, Buffer.from(key, "hex")]));
}

function headOf(text) {
  const [sequence, link] = text.split(":");
  return { sequence: Number(sequence), link: Buffer.from(link, "hex") };
}

function* logsIn(path) {
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path).sort()) if (name.endsWith(".dominohall")) yield join(path, name);
}

/** Judges each log as soon as it is whole, so that a batch of any size takes the memory of one log. */
async function batch(judge) {
  let held = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    held = Buffer.concat([held, chunk]);
    let at = 0;
    while (held.length >= at + 4 && held.length >= at + 4 + held.readUInt32BE(at)) {
      const end = at + 4 + held.readUInt32BE(at);
      judge(held.subarray(at + 4, end), {});
      at = end;
    }
    held = held.subarray(at);
  }
  if (held.length > 0) throw new Error("the batch ends inside a log");
}

const keys = values.keys ? keysOf(values.keys) : null;
const head = values.head ? headOf(values.head) : null;
const judge = (bytes, source) => process.stdout.write(`${JSON.stringify({ ...source, ...verify(bytes, { keys, head }) })}\n`);

if (values.batch) await batch(judge);
else for (const path of positionals.flatMap((given) => [...logsIn(given)])) judge(readFileSync(path), { source: path });
