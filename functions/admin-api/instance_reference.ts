import type { Database } from "../../shared/database/database.ts";
import type { InstanceRecord } from "../../shared/model/instance_record.ts";
import { idSchema, instanceIdSchema } from "../../shared/model/request_fields.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { AdminContext } from "./http_exchange.ts";

/**
 * Resolves any form of instance reference to the instance's id (decisions, section 1). Returns a
 * UUID without a lookup: the function that uses it checks that the instance exists.
 *
 * @throws {AppError} `Instance not found` for an unknown reference of another form;
 * `invalid_request` for a provider's id that instances of several providers share.
 */
async function resolveInstanceId(database: Database, reference: string): Promise<string> {
  const id = idSchema.safeParse(reference);
  if (id.success) return id.data;
  // Postgres cannot take a text with NUL.
  if (!instanceIdSchema.safeParse(reference).success || reference.includes("\u0000")) {
    throw new AppError("Instance not found");
  }
  return (await readInstance(database, reference)).instanceId;
}

/**
 * Returns the instance of any form of instance reference.
 *
 * @throws {AppError} as `resolveInstanceId`.
 */
export async function readInstance(
  database: Database,
  instanceId: string,
): Promise<InstanceRecord> {
  const answer = await database.rpc("get_instance", { instanceId });
  if ("issues" in answer) throw new AppError("invalid_request", { issues: answer.issues });
  return answer;
}

/** Returns the instance of the path, and notes it for the log line. */
export async function requireInstanceId(
  context: AdminContext,
  database: Database,
): Promise<string> {
  const instanceId = await resolveInstanceId(database, context.req.param("id") ?? "");
  context.set("instanceId", instanceId);
  return instanceId;
}

/** Replaces a request's `instanceId`, if present, with the instance's id. */
export async function withInstanceId<Request extends Readonly<Record<string, unknown>>>(
  database: Database,
  request: Request,
): Promise<Request> {
  const { instanceId } = request;
  return typeof instanceId === "string"
    ? { ...request, instanceId: await resolveInstanceId(database, instanceId) }
    : request;
}
