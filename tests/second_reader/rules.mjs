// The digest of the normative clauses, read from the rules pages.

import { readFileSync } from "node:fs";
import { sha256 } from "./chain.mjs";
import { u32 } from "./deals.mjs";

const PAGES = new URL("../../docs/rules/", import.meta.url);
const TEXTS = { forty_two: ["texas-42-polish.md", "forty-two-russian.md"], fives: ["straight-dominoes.md"] };
const CLAUSE = /^\s*- <a id="[^"]+"><\/a>\*\*(?<id>[A-Z0-9-]+)\*\* (?<text>.*?)(?<note> \*\([^*]*\)\*)?$/;

/** The rules digest of revision 1 of a game: over each clause of its pages once, except remarks without a rule. */
export function rulesDigest(game) {
  const clauses = new Map();
  for (const page of TEXTS[game]) {
    for (const line of readFileSync(new URL(page, PAGES), "utf8").split("\n")) {
      const found = CLAUSE.exec(line)?.groups;
      if (found && found.note !== " *(no rule)*") clauses.set(found.id, found.text);
    }
  }
  const parts = [...clauses].sort(([a], [b]) => (a < b ? -1 : 1)).flat().map((part) => Buffer.from(part));
  return sha256("dominohall/rules/1\0", ...parts.flatMap((part) => [u32(part.length), part]));
}
