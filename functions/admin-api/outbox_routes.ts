import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { toRecorded } from "../../shared/idempotency/recorded_call.ts";
import type { OutboxRecord } from "../../shared/model/outbox_record.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { outbox, outboxResponseSchema } from "./resources/outbox.ts";

/** The routes of the outbox: lists its entries and retries dead ones. */
export function createOutboxRoutes(database: Database): Route[] {
  const retry = async (context: AdminContext): Promise<Response> => {
    const outboxId = requireId(context, "id", "not_found");
    const idempotency = await readAdminIdempotency(context, {});
    const answer = await database.rpc("retry_outbox", { outboxId, idempotency });
    if (answer === null) {
      throw new AppError("not_found", { message: "The outbox entry does not exist." });
    }
    return answerRecorded(
      context,
      outboxResponseSchema,
      toRecorded<OutboxRecord>(answer),
    );
  };

  return [
    ...outbox.createRoutes(database),
    { method: "POST", path: "/outbox/:id/retry", handlers: [retry] },
  ];
}
