import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { readPage } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { toRecorded } from "../../shared/idempotency/recorded_call.ts";
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

/** Routes to hold and release queues, and to settle what may have left before a restore. */
export function createQueueRoutes(database: Database): Route[] {
  const hold = async (context: AdminContext): Promise<Response> => {
    const body = await readJsonBody(context);
    const request = await withInstanceId(database, validateBody(context, holdQueueSchema, body));
    const idempotency = await readAdminIdempotency(context, body);
    const held = await executeOnce(database.rpc("hold_queue", { ...request, idempotency }));
    return answerRecorded(context, holdQueueResponseSchema, held);
  };

  const release = async (context: AdminContext): Promise<Response> => {
    const body = await readJsonBody(context);
    const request = await withInstanceId(database, validateBody(context, releaseQueueSchema, body));
    const idempotency = await readAdminIdempotency(context, body);
    const released = toRecorded(await database.rpc("release_queue", { ...request, idempotency }));
    return answerRecorded(context, releaseQueueResponseSchema, released);
  };

  const listHolds = async (context: AdminContext): Promise<Response> => {
    const page = await readPage(
      "holds",
      validate(listHoldsSchema, context.req.query()),
      (request) => database.rpc("list_queue_holds", request),
    );
    return answerJson(context, queueHoldsResponseSchema, { success: true, ...page });
  };

  const listMayHaveLeft = async (context: AdminContext): Promise<Response> => {
    const page = await readPage(
      "may-have-left",
      await withInstanceId(database, validate(mayHaveLeftSchema, context.req.query())),
      (request) => database.rpc("list_may_have_left", request),
    );
    return answerJson(context, mayHaveLeftResponseSchema, { success: true, ...page });
  };

  const settle = async (context: AdminContext): Promise<Response> => {
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
  };

  return [
    { method: "POST", path: "/queue/hold", handlers: [hold] },
    { method: "POST", path: "/queue/release", handlers: [release] },
    { method: "GET", path: "/queue/holds", query: listHoldsSchema, handlers: [listHolds] },
    {
      method: "GET",
      path: "/queue/may-have-left",
      query: mayHaveLeftSchema,
      handlers: [listMayHaveLeft],
    },
    { method: "POST", path: "/queue/may-have-left/settle", handlers: [settle] },
  ];
}
