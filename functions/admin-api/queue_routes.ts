import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { readPage } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { toRecorded } from "../../shared/idempotency/recorded_call.ts";
import type { AdminOperation } from "./admin_operations.ts";
import { type AdminContext, readAdminIdempotency } from "./http_exchange.ts";
import { withInstanceId } from "./instance_reference.ts";
import { executeOnce } from "./record_calls.ts";
import {
  holdQueueResponseSchema,
  holdQueueSchema,
  listHoldsSchema,
  mayHaveLeftResponseSchema,
  mayHaveLeftSchema,
  queueHoldsResponseSchema,
  releaseQueueResponseSchema,
  releaseQueueSchema,
  settledResponseSchema,
  settleMayHaveLeftSchema,
} from "./resources/queue.ts";

/** Messages that one call settles; well below the database's time limit. */
const settledPerCall = 500;

export interface QueueServices {
  readonly database: Database;
}

/** Operations to hold and release queues, and to settle what may have left before a restore. */
export const queueOperations: readonly AdminOperation<QueueServices>[] = [
  { method: "POST", path: "/queue/hold", handle: hold },
  { method: "POST", path: "/queue/release", handle: release },
  { method: "GET", path: "/queue/holds", query: listHoldsSchema, handle: listHolds },
  {
    method: "GET",
    path: "/queue/may-have-left",
    query: mayHaveLeftSchema,
    handle: listMayHaveLeft,
  },
  { method: "POST", path: "/queue/may-have-left/settle", handle: settle },
];

async function hold({ database }: QueueServices, context: AdminContext): Promise<Response> {
  const body = await readJsonBody(context);
  const request = await withInstanceId(database, validateBody(context, holdQueueSchema, body));
  const idempotency = await readAdminIdempotency(context, body);
  const held = await executeOnce(database.rpc("hold_queue", { ...request, idempotency }));
  return answerRecorded(context, holdQueueResponseSchema, held);
}

async function release({ database }: QueueServices, context: AdminContext): Promise<Response> {
  const body = await readJsonBody(context);
  const request = await withInstanceId(database, validateBody(context, releaseQueueSchema, body));
  const idempotency = await readAdminIdempotency(context, body);
  const released = toRecorded(await database.rpc("release_queue", { ...request, idempotency }));
  return answerRecorded(context, releaseQueueResponseSchema, released);
}

async function listHolds({ database }: QueueServices, context: AdminContext): Promise<Response> {
  const page = await readPage(
    "holds",
    validate(listHoldsSchema, context.req.query()),
    (request) => database.rpc("list_queue_holds", request),
  );
  return answerJson(context, queueHoldsResponseSchema, { success: true, ...page });
}

async function listMayHaveLeft(
  { database }: QueueServices,
  context: AdminContext,
): Promise<Response> {
  const page = await readPage(
    "may-have-left",
    await withInstanceId(database, validate(mayHaveLeftSchema, context.req.query())),
    (request) => database.rpc("list_may_have_left", request),
  );
  return answerJson(context, mayHaveLeftResponseSchema, { success: true, ...page });
}

async function settle({ database }: QueueServices, context: AdminContext): Promise<Response> {
  const body = await readJsonBody(context);
  const request = await withInstanceId(
    database,
    validateBody(context, settleMayHaveLeftSchema, body),
  );
  const idempotency = await readAdminIdempotency(context, body);
  const settled = await database.rpc("settle_may_have_left", {
    ...request,
    maxMessages: settledPerCall,
    idempotency,
  });
  return answerRecorded(context, settledResponseSchema, toRecorded(settled));
}
