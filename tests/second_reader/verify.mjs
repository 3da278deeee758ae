// Judges a log: the first fault in the order of the file is the verdict.

import { link, NO_LINK, stateDigest } from "./chain.mjs";
import { rootByPath, rootOf } from "./deals.mjs";
import { Deal, Signatures } from "./evidence.mjs";
import { Fives } from "./fives.mjs";
import { FortyTwo } from "./forty_two.mjs";
import { Illegal } from "./illegal.mjs";
import { HiddenTiles } from "./hidden.mjs";
import { restored } from "./imported.mjs";
import { decodeMove } from "./moves.mjs";
import { Reader, Truncated, Unreadable } from "./msgpack.mjs";
import { knownOptions } from "./options.mjs";
import * as records from "./records.mjs";
import { rulesDigest } from "./rules.mjs";
import { isShake } from "./tiles.mjs";

const { KIND } = records;
const GAMES = { forty_two: FortyTwo, fives: Fives };
const MAX_ATTACHMENTS = 1_024;
const DIGESTS = Object.fromEntries(Object.keys(GAMES).map((game) => [game, rulesDigest(game)]));

class Fault extends Error {
  constructor(verdict, sequence, offset, why) {
    super(why);
    Object.assign(this, { verdict, sequence, offset });
  }
}

/**
 * The report on a log. `keys` has public keys (32 bytes) by key id in hex, `head` is `{sequence, link}` that somebody
 * kept; both may be null.
 */
export function verify(bytes, { keys = null, head = null } = {}) {
  const judge = new Judge(bytes, keys, head);
  try {
    judge.run();
  } catch (error) {
    judge.found(error);
  }
  return judge.report();
}

class Judge {
  constructor(bytes, keys, kept) {
    Object.assign(this, { bytes, keys, kept, reader: new Reader(bytes) });
    this.fault = null;
    this.header = null;
    this.state = null; // null until there is one, and again once hidden tiles leave none
    this.hiddenAt = null; // the first sequence whose tiles are not shown by a whole opening
    this.hidden = null; // the hidden tiles of the latest shake, null behind a whole opening
    this.root = null; // of the latest shake
    this.sequence = bytes.length > 0 ? 0 : null; // of the entry that is being read, null behind the last
    this.start = 0; // where it begins
    this.terminal = null;
    this.links = []; // by sequence, the last link of each entry that holds
    this.starts = []; // by sequence, where it begins
    this.digest = null;
    this.attachments = 0;
  }

  run() {
    this.#readHeader();
    while (!this.reader.done) {
      this.start = this.reader.at;
      this.sequence = this.terminal || this.attachments > 0 ? null : this.links.length;
      const item = this.reader.item();
      const kind = records.kindOf(item);
      if (kind === KIND.signature || kind === KIND.secret) this.#readAttachment(item);
      else if (kind === KIND.move && this.sequence !== null) this.#readMove(item);
      else throw new Unreadable(item.start, "an item out of its place");
    }
    if (this.#wantsTerminal) throw new Truncated("the match is over and its result is missing");
    const last = this.links.length - 1;
    if (this.kept?.sequence > last) this.#fail("truncated", "before the head that was kept", this.bytes.length, last);
    this.#judgeWhole(last);
  }

  #fail(verdict, why, offset = this.start, sequence = this.sequence) {
    throw new Fault(verdict, sequence, offset, why);
  }

  get #wantsTerminal() {
    return Boolean(this.state?.outcome) && this.terminal === null;
  }

  // --- entries

  #readHeader() {
    const item = this.reader.item();
    const header = records.header(item);
    const itsLink = records.readLink(this.reader);
    const opening = header.initial?.root ? records.opening(this.reader.item()) : null;
    this.#follow(NO_LINK, item.raw, itsLink);
    const options = this.#knownRules(header);
    if (header.labels.length !== (options.seats ?? 4)) throw new Unreadable(item.start, "other labels than seats");
    this.header = header;
    this.deal = new Deal(header);
    this.signatures = new Signatures(header, this.keys);
    const order = opening && this.#open(opening, header.initial.root);
    if (!header.initial) this.state = new GAMES[header.game](options, header.first);
    else if (this.hiddenAt === null) this.state = this.#import(options, order);
    this.#holds(itsLink);
    if (this.state) this.digest = this.#digest();
  }

  #knownRules({ game, options: map, first, rules_digest: digest }) {
    const options = Object.hasOwn(GAMES, game) && digest.equals(DIGESTS[game]) ? knownOptions(game, map) : null;
    const holderOpens = options?.opener === "holder_of_1_0";
    const knows = options !== null && (first === null || (!holderOpens && first < (options.seats ?? 4)));
    if (!knows) this.#fail("unknown_rules", "a game, text, options or first seat that this reader does not know");
    return options;
  }

  #import(options, order) {
    try {
      return restored(GAMES[this.header.game], options, this.header.initial.bytes, order);
    } catch (error) {
      if (!(error instanceof Illegal)) throw error;
      return this.#fail("impossible_state", error.message);
    }
  }

  #readMove(item) {
    const record = records.move(item);
    if (record.sequence !== this.sequence) this.#fail("chain_broken", "a sequence out of its place");
    const itsLink = records.readLink(this.reader);
    const opening = record.shake ? records.opening(this.reader.item()) : null;
    const ending = this.#readTerminal();
    this.#follow(this.links.at(-1), item.raw, itsLink);
    const order = opening && this.#open(opening, record.root);
    if (this.state) this.#apply(record, order);
    if (ending) this.#judgeTerminal(ending, itsLink);
    this.#holds(ending?.link ?? itsLink);
    if (this.state) this.digest = record.digest;
  }

  #readTerminal() {
    const { bytes, at } = this.reader;
    const mayBe = bytes[at] > 0x90 && bytes[at] < 0xa0 && bytes[at + 1] === KIND.terminal;
    if (!mayBe) return null;
    const item = this.reader.item();
    return { item, record: records.terminal(item, this.sequence), link: records.readLink(this.reader) };
  }

  #follow(previous, raw, itsLink) {
    if (!link(previous, raw).equals(itsLink)) this.#fail("chain_broken", "a link does not follow");
  }

  #holds(itsLink) {
    this.links.push(itsLink);
    this.starts.push(this.start);
    this.heldEnd = this.reader.at;
    const isKept = this.kept?.sequence === this.sequence;
    if (isKept && !this.kept.link.equals(itsLink)) this.#fail("head_differs", "another log than the kept head's");
  }

  /** Holds an opening against its root; returns the whole order, or one of those that the shown tiles leave. */
  #open({ order, salt, tiles }, root) {
    this.root = root;
    if (order) {
      const leads = isShake(order) && rootOf(order, salt).equals(root);
      if (!leads) this.#fail("root_differs", "an opening does not lead to its root");
      this.hidden = null;
      return order;
    }
    const leads = new Set(tiles.map(({ tile }) => tile)).size === tiles.length;
    if (!leads || !tiles.every((tile) => rootByPath(tile).equals(root))) this.#fail("root_differs", "a tile's path");
    this.hidden = new HiddenTiles(tiles);
    this.hiddenAt ??= this.sequence;
    this.deal.shownWhole = false;
    return this.hidden.order;
  }

  #apply(record, order) {
    const move = order ? { kind: "shake", order } : decodeMove(this.header.game, record.bytes);
    if (move === null) throw new Unreadable(this.start, "bytes that are no move of this game");
    if (!order) this.hidden?.arrange(this.state, move);
    const made = this.state.shakes;
    try {
      this.state.apply(move);
    } catch (error) {
      if (!(error instanceof Illegal)) throw error;
      this.#fail("illegal_move", error.message);
    }
    const place = { made, sequence: this.sequence, start: this.start };
    if (order) {
      this.#dealsTo(record.digest);
      this.deal.add({ root: record.root, ...place });
    }
    if (move.kind === "lot") this.deal.add({ lot: move, ...place });
    if (this.#digest().equals(record.digest)) return;
    if (!this.#handsAreHidden()) this.#fail("digest_differs", "the state");
    this.state = null;
  }

  #digest() {
    return stateDigest(this.state.publicBytes(), this.state.tilesInPlay ? this.root : null);
  }

  /** Where the holder of the 1-0 opens and it is hidden, the digest tells who that is. */
  #dealsTo(digest) {
    if (!this.hidden || !this.state.holderOpens) return;
    for (const order of this.hidden.ordersByHolder()) {
      this.state.redeal(order);
      if (this.#digest().equals(digest)) break;
    }
  }

  /** Whether the hands of a round that was counted were hidden, so that nobody can tell what they came to. */
  #handsAreHidden() {
    const { last } = this.state;
    if (!this.hidden || this.state.tilesInPlay || !last?.hands) return false;
    return last.hands.flat().some((tile) => !this.hidden.known.has(tile));
  }

  #judgeTerminal({ item, record, link: itsLink }, previous) {
    this.#follow(previous, item.raw, itsLink);
    this.terminal = record;
    if (!this.state) return;
    const { outcome } = this.state;
    const agrees =
      outcome !== null && outcome.ending === record.ending && outcome.winner === record.winner &&
      outcome.scores.length === record.scores.length && outcome.scores.every((score, i) => score === record.scores[i]);
    if (!agrees) this.#fail("result_differs", "the recorded result is not the computed one");
  }

  // --- attachments

  #readAttachment(item) {
    this.attachments += 1;
    if (this.attachments > MAX_ATTACHMENTS) throw new Unreadable(item.start, "too many attachments");
    const attachment = records.attachment(item);
    const last = this.links.length - 1;
    if (this.#wantsTerminal) this.#fail("result_differs", "the result is missing", this.heldEnd, last);
    if (attachment.secret) this.#judgeSecret(attachment);
    else this.#judgeSignature(attachment);
  }

  #judgeSecret({ secret }) {
    if (!this.deal.commits(secret)) this.#fail("deal_differs", "the secret is not the one committed to", this.start, null);
    const other = this.deal.reveal(secret);
    if (other) this.#fail("deal_differs", "a chance that the secret does not give", other.start, other.sequence);
  }

  #judgeSignature(signed) {
    const ours = this.links[signed.sequence]?.equals(signed.link);
    if (!ours || !this.signatures.add(signed)) {
      this.#fail("signature_wrong", "over no head of this log, or not by its key", this.start, signed.sequence);
    }
  }

  /** What is said only of a log without a fault. */
  #judgeWhole(last) {
    const next = this.signatures.covered + 1;
    if (this.keys && next <= last) this.#fail("unsigned", "no signature covers the end", this.starts[next], next);
    if (this.hiddenAt !== null) this.#fail("redacted", "some tiles are hidden", this.starts[this.hiddenAt], this.hiddenAt);
  }

  // --- what comes out

  found(error) {
    const last = this.links.length - 1;
    if (error instanceof Fault) this.fault = error;
    else if (error instanceof Unreadable) {
      this.fault = new Fault("unreadable", this.sequence, error.offset, error.message);
    } else if (error instanceof Truncated) {
      this.fault = new Fault("truncated", this.#wantsTerminal ? last : this.sequence, this.bytes.length, error.message);
    } else throw error;
  }

  report() {
    const { fault, header, links } = this;
    const over = this.terminal !== null || Boolean(this.state?.outcome);
    return {
      verdict: fault?.verdict ?? (over ? "valid" : "unfinished"),
      sequence: fault?.sequence ?? null,
      offset: fault?.offset ?? null,
      reason: fault?.message ?? "",
      moves: Math.max(0, links.length - 1),
      head: links.length > 0 ? { sequence: links.length - 1, link: links.at(-1).toString("hex") } : null,
      digest: this.digest?.toString("hex") ?? null,
      signature: fault?.verdict === "signature_wrong" ? "wrong" : (this.signatures?.statement ?? "absent"),
      deal: this.deal?.statement(over) ?? "unproven",
      origin: header?.initial ? "imported" : "started",
    };
  }
}
