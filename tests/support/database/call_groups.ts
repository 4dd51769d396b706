/** Makes calls that form exactly one group, for tests of shared/database/grouped_calls.ts. */

import type { Database } from "../../../shared/database/database.ts";
import { groupCalls } from "../../../shared/database/grouped_calls.ts";
import type { RequestOf, RpcName } from "../../../shared/database/rpcs.ts";
import { DatabaseError } from "../../../shared/database/sqlstates.ts";
import { TenantCalls } from "../../../shared/database/tenant_calls.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert } from "../assert.ts";

/** The outcome of a call, comparable between a group and single calls. */
export type CallOutcome =
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the function answers
  | { readonly result: any }
  | { readonly refusal: string }
  | { readonly defect: string };

export interface GroupOutcome {
  /** In the order of the requests. */
  readonly outcomes: readonly CallOutcome[];
  /** The functions that were called, in order. */
  readonly rpcNames: readonly string[];
}

/** Waits for a call, and reads how it ended. */
export async function readOutcome(call: Promise<unknown>): Promise<CallOutcome> {
  try {
    return { result: await call };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error.code };
    assert(error instanceof DatabaseError, String(error));
    return { defect: error.code };
  }
}

/** A plain call of any function. It never arrives. */
const heldRequest = {
  results: [{ outcome: "accepted" }],
  ...{ events: [{}], payload: null },
  ...{ message: {}, assignment: null, agent: null, delivery: { queued: false, delaySeconds: 0 } },
};

/** What no group takes leaves before the group: no tenant's calls wait for each other. */
const allAtOnce = new TenantCalls({ maxCalls: 1_000, waitMs: 0, slowAfterMs: Infinity });

/** Makes the calls as one group, as far as one takes them: they all wait for a batch that the test holds back. */
export async function callAsGroup<Name extends RpcName>(
  transport: Database,
  name: Name,
  requests: readonly RequestOf<Name>[],
): Promise<GroupOutcome> {
  const rpcNames: RpcName[] = [];
  const held = Promise.withResolvers<never>();
  let isFirst = true;
  const database = groupCalls(
    {
      rpc: (called, request) => {
        if (isFirst) {
          isFirst = false;
          return held.promise;
        }
        rpcNames.push(called);
        return transport.rpc(called, request);
      },
      close: () => Promise.resolve(),
    },
    { maxCalls: 32, slowAfterMs: 60_000 },
    allAtOnce,
  );
  const first = readOutcome(database.rpc(name, heldRequest as unknown as RequestOf<Name>));
  const calls = requests.map((request) => readOutcome(database.rpc(name, request)));
  held.reject(new AppError("service_unavailable"));
  await first;
  return { outcomes: await Promise.all(calls), rpcNames };
}

/** Makes the calls one after the other, without groups. */
export async function callSingly<Name extends RpcName>(
  transport: Database,
  name: Name,
  requests: readonly RequestOf<Name>[],
): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  for (const request of requests) outcomes.push(await readOutcome(transport.rpc(name, request)));
  return outcomes;
}
