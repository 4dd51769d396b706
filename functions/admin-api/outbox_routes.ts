import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/model/errors.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate } from "../../shared/http/validate.ts";
import { toRecorded } from "../../shared/idempotency/recorded_call.ts";
import type { OutboxRecord } from "../../shared/database/rpcs/outbox.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { listRecords } from "./record_calls.ts";
import { outboxPageSchema, type outboxRecord } from "./resources/outbox.ts";
import type { PageAnswer, RecordAnswer } from "./resources/resource.ts";

/** The routes of the outbox: lists its entries and retries dead ones. */
export function createOutboxRoutes(database: Database): Route[] {
  const listPage = async (context: AdminContext): Promise<Response> => {
    const query = validate(outboxPageSchema, context.req.query());
    const page = await listRecords(database, "list_outbox", query);
    return answerJson<PageAnswer<typeof outboxRecord>>(context, { success: true, ...page });
  };

  const retry = async (context: AdminContext): Promise<Response> => {
    const outboxId = requireId(context, "id", "not_found");
    const idempotency = await readAdminIdempotency(context, {});
    const answer = await database.rpc("retry_outbox", { outboxId, idempotency });
    if (answer === null) {
      throw new AppError("not_found", { message: "The outbox entry does not exist." });
    }
    return answerRecorded<RecordAnswer<typeof outboxRecord>>(
      context,
      toRecorded<OutboxRecord>(answer),
    );
  };

  return [
    { method: "GET", path: "/outbox", handlers: [listPage] },
    { method: "POST", path: "/outbox/:id/retry", handlers: [retry] },
  ];
}
