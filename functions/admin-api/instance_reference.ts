import type { Database } from "../../shared/database/database.ts";
import type { InstanceRecord } from "../../shared/database/rpcs/tenancy.ts";
import { idSchema, instanceIdSchema } from "../../shared/model/request_fields.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { AdminContext } from "./http_exchange.ts";

/**
 * The id of the instance that is named in any of its forms (decisions, section 1). A UUID stays as it
 * is: whoever uses it says whether there is such an instance.
 *
 * @throws {AppError} `Instance not found` where another form names none; `invalid_request` where it
 * is an id that instances of several providers have.
 */
export async function resolveInstanceId(database: Database, reference: string): Promise<string> {
  const id = idSchema.safeParse(reference);
  if (id.success) return id.data;
  // The database cannot even be asked for a NUL.
  if (!instanceIdSchema.safeParse(reference).success || reference.includes("\u0000")) {
    throw new AppError("Instance not found");
  }
  return (await readInstance(database, reference)).instanceId;
}

/**
 * The instance that is named in any of its forms.
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

/** The instance of the path, noted for the log line. */
export async function requireInstanceId(
  context: AdminContext,
  database: Database,
): Promise<string> {
  const instanceId = await resolveInstanceId(database, context.req.param("id") ?? "");
  context.set("instanceId", instanceId);
  return instanceId;
}

/** A request whose `instanceId`, if it has one, is the instance's id. */
export async function withInstanceId<Request extends Readonly<Record<string, unknown>>>(
  database: Database,
  request: Request,
): Promise<Request> {
  const { instanceId } = request;
  return typeof instanceId === "string"
    ? { ...request, instanceId: await resolveInstanceId(database, instanceId) }
    : request;
}
