import type { Context } from "hono";
import { AppError, type ErrorCode } from "../../shared/model/errors.ts";
import type { AppVariables } from "../../shared/http/app_variables.ts";
import { readIdempotency } from "../../shared/http/idempotency.ts";
import type { JsonObject } from "../../shared/http/json_body.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import { idSchema } from "../../shared/model/request_fields.ts";

export type AdminContext = Context<{ Variables: AppVariables }>;

/**
 * Returns an id of the path.
 *
 * @throws {AppError} `notFound` for a text that is not a UUID, because no record has such an id.
 */
export function requireId(context: AdminContext, name: string, notFound: ErrorCode): string {
  const id = idSchema.safeParse(context.req.param(name));
  if (!id.success) throw new AppError(notFound);
  return id.data;
}

/** The call's `Idempotency-Key`. All callers with the secret key share one scope. */
export function readAdminIdempotency(
  context: AdminContext,
  body: JsonObject,
): Promise<Idempotency | null> {
  return readIdempotency(context, "admin", body);
}
