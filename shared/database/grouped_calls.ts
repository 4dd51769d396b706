import { withTimeout } from "../runtime/time_limit.ts";
import { type BatchLimits, CallBatcher, type WaitingCall } from "./call_batcher.ts";
import { callTimeoutMs, type Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { DatabaseError, provesRollback } from "./sqlstates.ts";
import { findTenant, TenantCalls, type TenantLimits } from "./tenant_calls.ts";

/** A function that executes several calls of another one as one transaction. */
interface Group<Name extends RpcName> {
  /** Whether it takes a call. The others need not wait for a group that leaves them out. */
  readonly takes: (request: RequestOf<Name>) => boolean;
  /** Null for a call that it does not take. */
  readonly callAll: (
    database: Database,
    calls: readonly RequestOf<Name>[],
  ) => Promise<{ readonly results: readonly (ResultOf<Name> | null)[] }>;
}

/** The functions whose concurrent calls are grouped: those of an immediate send and of a webhook. */
type GroupedRpc =
  | "authenticate_client"
  | "accept_message"
  | "settle_messages"
  | "record_provider_events";

/** Longer payloads are recorded alone: a group of them would delay the others and use much memory. */
const maxGroupedPayload = 32 * 1024;

const groups: { readonly [Name in GroupedRpc]: Group<Name> } = {
  authenticate_client: {
    takes: () => true,
    callAll: (database, calls) => database.rpc("authenticate_clients", { calls }),
  },
  accept_message: {
    takes: ({ message, assignment, agent, delivery }) =>
      message !== null && message.needsPhone === undefined &&
      assignment === null &&
      agent === null && delivery !== null &&
      !delivery.queued && delivery.isDeferred !== true && delivery.delaySeconds <= 0 &&
      delivery.timing === undefined,
    callAll: (database, calls) => database.rpc("accept_messages", { calls }),
  },
  settle_messages: {
    takes: ({ results }) => results.length === 1 && results[0]?.outcome === "accepted",
    callAll: (database, calls) => database.rpc("settle_message_calls", { calls }),
  },
  record_provider_events: {
    takes: ({ events, payload }) =>
      events.length === 1 && (payload?.length ?? 0) <= maxGroupedPayload,
    callAll: (database, calls) => database.rpc("record_provider_event_calls", { calls }),
  },
};

/**
 * Measured: a message of a group of 4, 8 or 16 costs 0.31, 0.23 or 0.16 of the processor time of a
 * single one, so larger groups save little more. Two batches at once served 753 sends a second where one
 * served 892, so a second one starts only beside a batch that takes several times as long as usual.
 */
const productLimits: BatchLimits = { maxCalls: 32, slowAfterMs: 25 };

/**
 * Of messages that leave 80 a second, eight at a time are settled so, for a quarter of their own calls'
 * processor time. Nobody waits for these outcomes; a process that dies meanwhile leaves them unconfirmed, as
 * it does those of the calls under way, which take longer.
 */
const gatheringLimits: BatchLimits = { ...productLimits, gatherMs: 100 };

/**
 * A tenant's calls by themselves. A quarter of the 20 connections of a process: one that waits for a lock
 * holds its connection for up to 8 s. The others wait as long as they would for a connection. No statement
 * that works takes a quarter of a second, as a rule.
 */
const loneLimits: TenantLimits = { maxCalls: 5, waitMs: callTimeoutMs, slowAfterMs: 250 };

/** How long closing waits for the answers of calls in progress. */
const partingMs = 5_000;

/**
 * Groups concurrent calls of one function: one statement and one commit for up to `maxCalls` of them.
 * Each caller gets the result or the error that its own call would have got.
 *
 * A call runs alone, by its own function, when no other call waits, when the group's function does not
 * take it, and when the group was rolled back, as after a deadlock or because of one bad call. Only an
 * SQLSTATE proves the rollback. After a time-out or a lost connection the group may have been executed,
 * so none of its calls is made again: each fails as a single call does.
 *
 * A group waits for no lock: what would wait runs alone, and while it does, its tenant's calls join no
 * group. Of each tenant a bounded number runs alone at once. One more waits its turn, and fails with
 * `service_unavailable` when none comes.
 */
export function groupCalls(
  transport: Database,
  limits: BatchLimits = productLimits,
  lone = new TenantCalls(loneLimits),
): Database {
  const database = callAlone(transport, lone);
  const batchers: Batchers<GroupedRpc> = {
    authenticate_client: openBatcher(database, "authenticate_client", limits),
    accept_message: openBatcher(database, "accept_message", limits),
    settle_messages: openBatcher(database, "settle_messages", limits),
    record_provider_events: openBatcher(database, "record_provider_events", limits),
  };
  return {
    rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>> {
      // A group's function takes no hashes: the call would roll the group back once more.
      const isAlone = !findGroup(name)?.takes(request) || "denialHashes" in request ||
        lone.isHeldUp(findTenant(request));
      if (isAlone) return database.rpc(name, request);
      return (batchers as { readonly [Other in RpcName]?: unknown } as Batchers<Name>)[name].call(
        request,
      );
    },
    close: async () => {
      const drained = Promise.all(Object.values(batchers).map((batcher) => batcher.drain()));
      await withTimeout(drained, partingMs);
      await database.close();
    },
  };
}

/**
 * Records acceptances together that come within a tenth of a second. For messages that leave in a row,
 * whose outcomes nobody waits for. All else is called as ever.
 */
export function gatherSettlements(database: Database): Database {
  const batcher = openBatcher(database, "settle_messages", gatheringLimits);
  return {
    rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>> {
      if (name !== "settle_messages" || !findGroup(name)?.takes(request)) {
        return database.rpc(name, request);
      }
      return (batcher as unknown as Batcher<Name>).call(request);
    },
    close: () => database.close(),
  };
}

/** A group's call is nobody's: its request names no tenant. */
function callAlone(transport: Database, lone: TenantCalls): Database {
  return {
    rpc: (name, request) => lone.run(findTenant(request), () => transport.rpc(name, request)),
    close: () => transport.close(),
  };
}

function findGroup<Name extends RpcName>(name: Name): Group<Name> | undefined {
  return (groups as { readonly [Other in RpcName]?: unknown })[name] as Group<Name> | undefined;
}

type Batchers<Name extends RpcName> = { readonly [Each in Name]: Batcher<Each> };
type Batcher<Name extends RpcName> = CallBatcher<RequestOf<Name>, ResultOf<Name>>;
type Call<Name extends RpcName> = WaitingCall<RequestOf<Name>, ResultOf<Name>>;

function openBatcher<Name extends GroupedRpc>(
  database: Database,
  name: Name,
  limits: BatchLimits,
): Batcher<Name> {
  const callSingly = async ({ request, resolve, reject }: Call<Name>): Promise<void> => {
    try {
      resolve(await database.rpc(name, request));
    } catch (error) {
      reject(error);
    }
  };
  return new CallBatcher(async (calls: readonly Call<Name>[], complete) => {
    const [first] = calls;
    if (first !== undefined && calls.length === 1) return await callSingly(first);
    const single = await callTogether(database, name, calls);
    complete();
    await Promise.all(single.map(callSingly));
  }, limits);
}

/** Answers the calls that the group's function takes. @returns the others, which were not executed. */
async function callTogether<Name extends GroupedRpc>(
  database: Database,
  name: Name,
  calls: readonly Call<Name>[],
): Promise<readonly Call<Name>[]> {
  try {
    const { results } = await groups[name].callAll(database, calls.map(({ request }) => request));
    if (results?.length !== calls.length) throw new DatabaseError(name, "wrong_count");
    return calls.filter(({ resolve }, place) => {
      const result = results[place];
      if (result === null || result === undefined) return true;
      resolve(result);
      return false;
    });
  } catch (error) {
    if (provesRollback(error)) return calls;
    for (const { reject } of calls) reject(error);
    return [];
  }
}
