/**
 * A small client of Dominohall: everything that a backend needs to host matches, and how to need it safely.
 *
 * Three habits keep a host right, and this file is where they live:
 *
 * 1. The token is the match. Keep the last `Match` of a reply and send it with the next call; no server remembers it.
 * 2. Every call may be repeated. A reply that was lost is asked for again with the same request; a move that was
 *    recorded already gives the same record again and never happens twice.
 * 3. A refusal is an answer, not an accident. It arrives as `RefusedMove`, with the clauses of the rules that decide.
 * 4. No reply is believed before its record continues the log: the link is recomputed from the one before (`links.ts`).
 */

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import * as grpc from "@grpc/grpc-js";
import * as protoLoader from "@grpc/proto-loader";
import protobuf from "protobufjs";

import { type Linked, NO_LINK, readEntries } from "./links.js";
import type { ApplyMoveResponse__Output } from "./generated/dominohall/v1/ApplyMoveResponse.js";
import type { Fork__Output } from "./generated/dominohall/v1/Fork.js";
import type { GetReplayResponse__Output } from "./generated/dominohall/v1/GetReplayResponse.js";
import type { ListLegalMovesResponse__Output } from "./generated/dominohall/v1/ListLegalMovesResponse.js";
import type { Match__Output } from "./generated/dominohall/v1/Match.js";
import type { Move } from "./generated/dominohall/v1/Move.js";
import type { Record__Output } from "./generated/dominohall/v1/Record.js";
import type { Refusal__Output } from "./generated/dominohall/v1/Refusal.js";
import type { ResumeMatchResponse__Output } from "./generated/dominohall/v1/ResumeMatchResponse.js";
import type { StartMatchRequest } from "./generated/dominohall/v1/StartMatchRequest.js";
import type { StartMatchResponse__Output } from "./generated/dominohall/v1/StartMatchResponse.js";
import type { View__Output } from "./generated/dominohall/v1/View.js";
import type { ViewMatchResponse__Output } from "./generated/dominohall/v1/ViewMatchResponse.js";
import type { ProtoGrpcType as MatchTypes } from "./generated/match_service.js";
import type { ProtoGrpcType as ReplayTypes } from "./generated/replay_service.js";

export type { Match__Output as Match, Move, Record__Output as Record, View__Output as View };

/** Where the .proto files are: a copy of them beside your program does as well. */
const PROTOS = process.env["DOMINOHALL_PROTOS"] ?? fileURLToPath(new URL("../../../../proto", import.meta.url));

/** The same settings as `npm run types` generates the types with. */
const LOADING: protoLoader.Options = {
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
  includeDirs: [PROTOS],
};

const ATTEMPTS = 5;
const DEADLINE_MS = 5_000;
const FIRST_PAUSE_MS = 50;

/** Statuses after which nobody knows whether the call was done: repeat it. Everything else is an answer. */
const UNSURE: ReadonlySet<grpc.status> = new Set([grpc.status.UNAVAILABLE, grpc.status.DEADLINE_EXCEEDED]);

/** The rules forbid the move. Nothing was changed; the match may go on from the same token. */
export class RefusedMove extends Error {
  constructor(readonly refusal: Refusal__Output) {
    super(refusal.message);
    this.name = "RefusedMove";
  }

  /** The engine's reason, such as `MUST_FOLLOW_SUIT`. */
  get reason(): string {
    return this.refusal.reason;
  }

  /** The clauses of the rules that decide it, the deciding one first. */
  get clauses(): { id: string; text: string }[] {
    return this.refusal.clauses;
  }
}

/** Another move stands at this place: another of your processes was faster. `resync`, then look again. */
export class Forked extends Error {
  /** The place that both claim, the link of the record that stands there, and the one that ours would have had. */
  constructor(
    message: string,
    readonly sequence: number,
    readonly storedLink: Buffer,
    readonly refusedLink: Buffer,
  ) {
    super(message);
    this.name = "Forked";
  }
}

/** A host's connection to Dominohall. One is enough for a whole process. */
export class Dominohall {
  private readonly matches: InstanceType<MatchTypes["dominohall"]["v1"]["MatchService"]>;
  private readonly replays: InstanceType<ReplayTypes["dominohall"]["v1"]["ReplayService"]>;
  private readonly metadata = new grpc.Metadata();

  /** Connect to `address` (`host:port`); refusals will be worded in `language`: "en", "pl" or "ru". */
  constructor(address: string, credentials = grpc.credentials.createInsecure(), language = "en") {
    const options = {
      "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }), // calls spread over all pods
      "grpc.keepalive_time_ms": 60_000,
    };
    const wire = grpc.loadPackageDefinition(
      protoLoader.loadSync(["dominohall/v1/match_service.proto", "dominohall/v1/replay_service.proto"], LOADING),
    ) as unknown as MatchTypes & ReplayTypes;
    this.matches = new wire.dominohall.v1.MatchService(address, credentials, options);
    this.replays = new wire.dominohall.v1.ReplayService(address, credentials, options);
    this.metadata.set("accept-language", language);
  }

  /** Start a match. You choose its id, so that the same call again returns the same match instead of a second one. */
  async startMatch(request: StartMatchRequest): Promise<Match__Output> {
    const reply = await this.call<StartMatchResponse__Output>((options, done) =>
      this.matches.startMatch(request, this.metadata, options, done),
    );
    return present(reply.match, "match");
  }

  /** What may be done now. A shake or a lot that is due is listed too: apply it as it is, and the service makes it. */
  async legalMoves(match: Match__Output): Promise<ListLegalMovesResponse__Output> {
    return this.call((options, done) =>
      this.matches.listLegalMoves({ match: { token: match.token } }, this.metadata, options, done),
    );
  }

  /** Apply a move and have it recorded; `RefusedMove` if the rules forbid it. Only the token needs to travel. */
  async apply(match: Match__Output, move: Move): Promise<{ match: Match__Output; record: Record__Output }> {
    const reply = await this.call<ApplyMoveResponse__Output>((options, done) =>
      this.matches.applyMove({ match: { token: match.token }, move }, this.metadata, options, done),
    );
    const [after, record] = [present(reply.match, "match"), present(reply.record, "record")];
    checkContinues(match, readEntries(record.entry, (match.sequence ?? 0) + 1, match.link), after);
    return { match: after, record };
  }

  /**
   * Go to the head of a match, and return what this host had missed: for the loser of a race (`Forked`), and, with the
   * id alone, for a host that lost everything. The missed entries must continue what the host knew.
   */
  async resync(known?: Match__Output, matchId = known?.matchId ?? ""): Promise<{ match: Match__Output; missed: Linked[] }> {
    const head = await this.resume(matchId);
    const next = known === undefined ? 0 : (known.sequence ?? 0) + 1;
    const count = (head.sequence ?? 0) + 1 - next;
    if (count < 0) throw new Error(`the store ends at ${head.sequence}, this host knows ${next - 1}`);
    const log = count > 0 ? await this.replay(matchId, next) : Buffer.alloc(0);
    const missed = readEntries(log, next, known?.link ?? NO_LINK).slice(0, count);
    checkContinues(known, missed, head);
    return { match: head, missed };
  }

  /** What one seat may see: safe to send to that player. Whether they *are* that seat is yours to check first. */
  async view(match: Match__Output, seat: number): Promise<View__Output> {
    const reply = await this.call<ViewMatchResponse__Output>((options, done) =>
      this.matches.viewMatch({ match: { token: match.token }, seat }, this.metadata, options, done),
    );
    return present(reply.view, "view");
  }

  /** The match at its last record, for a host that lost the token or was overtaken by another of its processes. */
  async resume(matchId: string): Promise<Match__Output> {
    const reply = await this.call<ResumeMatchResponse__Output>((options, done) =>
      this.matches.resumeMatch({ matchId }, this.metadata, options, done),
    );
    return present(reply.match, "match");
  }

  /** The log of a match, byte for byte: write it to a file and anybody can check it. */
  async replay(matchId: string, fromSequence = 0): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const deadline = Date.now() + DEADLINE_MS;
    for await (const chunk of this.replays.getReplay({ matchId, fromSequence }, this.metadata, { deadline })) {
      chunks.push((chunk as GetReplayResponse__Output).entries);
    }
    return Buffer.concat(chunks);
  }

  close(): void {
    this.matches.close();
    this.replays.close();
  }

  /** Make a call, and make it again while nobody knows whether it was done. */
  private async call<Reply>(
    start: (options: grpc.CallOptions, done: grpc.requestCallback<Reply>) => grpc.ClientUnaryCall,
  ): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await new Promise<Reply>((resolve, reject) => {
          start({ deadline: Date.now() + DEADLINE_MS }, (error, reply) => {
            if (error) reject(error);
            else if (reply === undefined) reject(new Error("a reply without a message"));
            else resolve(reply);
          });
        });
      } catch (error) {
        const failure = error as grpc.ServiceError;
        const asked = pauseAskedFor(failure); // by a busy service; a message that is too large comes without
        const mayPass = UNSURE.has(failure.code) || (failure.code === grpc.status.RESOURCE_EXHAUSTED && asked > 0);
        if (!mayPass || attempt === ATTEMPTS) throw answerIn(failure) ?? failure;
        const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()); // spread out: others retry as well
        await sleep(Math.max(asked, backoff));
      }
    }
  }
}

/** `google.rpc.Status` as it stands in the trailer of a failed call; a published format, so a few lines do. */
const RPC = protobuf.parse(
  `syntax = "proto3"; package google.rpc;
   message Any { string type_url = 1; bytes value = 2; }
   message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
   message Duration { int64 seconds = 1; int32 nanos = 2; }
   message RetryInfo { Duration retry_delay = 1; }`,
).root;
const STATUS = RPC.lookupType("google.rpc.Status");
const RETRY_INFO = RPC.lookupType("google.rpc.RetryInfo");
const REFUSAL = loadType("dominohall/v1/refusal.proto", "dominohall.v1.Refusal");
const FORK = loadType("dominohall/v1/refusal.proto", "dominohall.v1.Fork");

/** What a failed call says in words of our own: that the rules forbid the move, or that another was faster. */
function answerIn(failure: grpc.ServiceError): RefusedMove | Forked | undefined {
  const refusal = detailIn(failure, REFUSAL);
  if (refusal) return new RefusedMove(refusal as unknown as Refusal__Output);
  const fork = detailIn(failure, FORK) as unknown as Fork__Output | undefined;
  return fork && new Forked(failure.details, fork.sequence, fork.storedLink, fork.refusedLink);
}

/** The pause that the service asks for, in milliseconds; 0 if it asks for none. */
function pauseAskedFor(failure: grpc.ServiceError): number {
  const info = detailIn(failure, RETRY_INFO) as { retryDelay?: { seconds: string; nanos: number } } | undefined;
  return info?.retryDelay ? Number(info.retryDelay.seconds) * 1000 + info.retryDelay.nanos / 1e6 : 0;
}

/** The detail of one kind that a failed call carries. */
function detailIn(failure: grpc.ServiceError, type: protobuf.Type): Record<string, unknown> | undefined {
  const [trailer] = failure.metadata?.get("grpc-status-details-bin") ?? [];
  if (!(trailer instanceof Buffer)) return undefined;
  const { details } = STATUS.toObject(STATUS.decode(trailer), { arrays: true }) as {
    details: { typeUrl: string; value: Buffer }[];
  };
  const detail = details.find(({ typeUrl }) => typeUrl.endsWith(`/${type.fullName.slice(1)}`));
  return detail && type.toObject(type.decode(detail.value), { ...LOADING, longs: String, enums: String });
}

/** Refuse a reply whose match does not stand behind entries that continue what was known. */
function checkContinues(known: Match__Output | undefined, entries: Linked[], match: Match__Output): void {
  const last = entries.at(-1) ?? { sequence: known?.sequence, link: known?.link };
  const fits = match.sequence === last.sequence && last.link !== undefined && match.link.equals(last.link);
  if (!fits || (known && match.matchId !== known.matchId)) throw new Error("a reply that does not continue the match");
}

function loadType(file: string, name: string): protobuf.Type {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => `${PROTOS}/${target}`;
  return root.loadSync(file).lookupType(name);
}

function present<Value>(value: Value | null, name: string): Value {
  if (value === null) throw new Error(`the reply has no ${name}: is this the server you meant?`);
  return value;
}
