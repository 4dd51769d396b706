import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { withInstanceId } from "./instance_reference.ts";
import { type AdminRecord, changeRecord, executeOnce, listRecords } from "./record_calls.ts";
import type { Resource, Update } from "./resources.ts";

/** Creating, listing, reading and, where it can be, changing one kind of record. */
export function createRecordRoutes(database: Database, kind: Resource): Route[] {
  const { path, idName, notFound, uniqueField, get, list, create, update } = kind;

  const createOne = async (context: AdminContext): Promise<Response> => {
    const body = await readJsonBody(context);
    const request = await withInstanceId(
      database,
      validateBody(context, create.schema, body, create.crossCheck),
    );
    const idempotency = await readAdminIdempotency(context, body);
    const created = await executeOnce(database, create.rpcName, { ...request, idempotency }, {
      uniqueField,
    });
    return answerRecorded(context, created, 201);
  };

  const listPage = async (context: AdminContext): Promise<Response> => {
    const query = await withInstanceId(database, validate(list.schema, context.req.query()));
    return context.json({ success: true, ...await listRecords(database, list.rpcName, query) });
  };

  const getOne = async (context: AdminContext): Promise<Response> => {
    const target = { [idName]: requireId(context, "id", notFound) };
    const record = await database.rpc<AdminRecord>(get.rpcName, target);
    return context.json({ success: true, ...record });
  };

  const updateOne = ({ rpcName, schema, checkChange }: Update) =>
  async (
    context: AdminContext,
  ): Promise<Response> => {
    const target = { [idName]: requireId(context, "id", notFound) };
    const body = await readJsonBody(context);
    const stored = checkChange && await database.rpc<AdminRecord>(get.rpcName, target);
    const check = stored && ((change: AdminRecord) => checkChange(change, stored));
    const changes = validateBody(context, schema, body, check);
    const record = await changeRecord(database, rpcName, { ...target, changes }, { uniqueField });
    return answerJson(context, { success: true, ...record });
  };

  const routes: Route[] = [
    { method: "POST", path, handlers: [createOne] },
    { method: "GET", path, handlers: [listPage] },
    { method: "GET", path: `${path}/:id`, handlers: [getOne] },
  ];
  if (update === undefined) return routes;
  return [...routes, { method: "PATCH", path: `${path}/:id`, handlers: [updateOne(update)] }];
}
