import { withTimeout } from "../runtime/time_limit.ts";
import { CallLine, type LineLimits, type WaitingCall } from "./call_line.ts";
import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { DatabaseError, provesRollback } from "./sqlstates.ts";

/** Executes several calls of one function as one transaction. Null for a call that it does not take. */
type CallGroup<Name extends RpcName> = (
  database: Database,
  calls: readonly RequestOf<Name>[],
) => Promise<{ readonly results: readonly (ResultOf<Name> | null)[] }>;

/** The functions whose concurrent calls are grouped: the calls of an immediate send. */
type GroupedRpc = "authenticate_client" | "settle_messages";

const callGroups: { readonly [Name in GroupedRpc]: CallGroup<Name> } = {
  authenticate_client: (database, calls) => database.rpc("authenticate_clients", { calls }),
  settle_messages: (database, calls) => database.rpc("settle_message_calls", { calls }),
};

const productLimits: LineLimits = { maxCalls: 32, slowAfterMs: 25 };

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
 */
export function groupCalls(database: Database, limits: LineLimits = productLimits): Database {
  const lines: { readonly [Name in GroupedRpc]: Line<Name> } = {
    authenticate_client: openLine(database, "authenticate_client", limits),
    settle_messages: openLine(database, "settle_messages", limits),
  };
  const findLine = <Name extends RpcName>(name: Name): Line<Name> | undefined =>
    (lines as { readonly [Name in RpcName]?: unknown })[name] as Line<Name> | undefined;
  return {
    rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>> {
      return findLine(name)?.call(request) ?? database.rpc(name, request);
    },
    close: async () => {
      const drained = Promise.all(Object.values(lines).map((line) => line.drain()));
      await withTimeout(drained, partingMs);
      await database.close();
    },
  };
}

type Line<Name extends RpcName> = CallLine<RequestOf<Name>, ResultOf<Name>>;
type Call<Name extends RpcName> = WaitingCall<RequestOf<Name>, ResultOf<Name>>;

function openLine<Name extends GroupedRpc>(
  database: Database,
  name: Name,
  limits: LineLimits,
): Line<Name> {
  const callSingly = async ({ request, resolve, reject }: Call<Name>): Promise<void> => {
    try {
      resolve(await database.rpc(name, request));
    } catch (error) {
      reject(error);
    }
  };
  return new CallLine(async (calls: readonly Call<Name>[], land) => {
    const [first] = calls;
    if (first !== undefined && calls.length === 1) return await callSingly(first);
    const single = await callTogether(database, name, calls);
    land();
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
    const { results } = await callGroups[name](database, calls.map(({ request }) => request));
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
