import type { Database } from "../../shared/database/database.ts";
import type { RequestOf } from "../../shared/database/rpcs.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { type CrossCheck, validate, validateBody } from "../../shared/http/validate.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { withInstanceId } from "./instance_reference.ts";
import {
  changeRecord,
  type ChangingRpc,
  type CreatingRpc,
  executeOnce,
  type ListingRpc,
  listRecords,
  type ReadingRpc,
} from "./record_calls.ts";
import type { PlainResource, Update } from "./resources/resource.ts";

/** Creating, listing, reading and, where it can be, changing one kind of record. */
export function createRecordRoutes(database: Database, kind: PlainResource): Route[] {
  const { path, idName, notFound, uniqueField, get, list, create, update } = kind;

  // What a schema of a resource reads is the request of the resource's functions: the types of the two
  // meet here, where neither is known any more.
  const readTarget = (context: AdminContext): Readonly<Record<string, string>> => ({
    [idName]: requireId(context, "id", notFound),
  });
  const readRecord = (target: Readonly<Record<string, string>>): Promise<object> =>
    database.rpc(get.rpcName, target as unknown as RequestOf<ReadingRpc>);

  const createOne = async (context: AdminContext): Promise<Response> => {
    const body = await readJsonBody(context);
    const request = await withInstanceId(
      database,
      validateBody(context, create.schema, body, create.crossCheck),
    );
    const idempotency = await readAdminIdempotency(context, body);
    const created = await executeOnce(
      database,
      create.rpcName,
      { ...request, idempotency } as unknown as RequestOf<CreatingRpc>,
      { uniqueField },
    );
    return answerRecorded<{ success: true }>(context, created, 201);
  };

  const listPage = async (context: AdminContext): Promise<Response> => {
    const query = await withInstanceId(database, validate(list.schema, context.req.query()));
    const page = await listRecords(
      database,
      list.rpcName,
      query as unknown as RequestOf<ListingRpc>,
    );
    return context.json({ success: true, ...page });
  };

  const getOne = async (context: AdminContext): Promise<Response> => {
    return context.json({ success: true, ...await readRecord(readTarget(context)) });
  };

  const updateOne = ({ rpcName, schema, checkChange }: Update) =>
  async (
    context: AdminContext,
  ): Promise<Response> => {
    const target = readTarget(context);
    const body = await readJsonBody(context);
    const stored = checkChange && { ...await readRecord(target) };
    const check: CrossCheck | undefined = stored && ((change) => checkChange(change, stored));
    const changes = validateBody(context, schema, body, check);
    const request = { ...target, changes } as unknown as RequestOf<ChangingRpc>;
    const record = await changeRecord(database, rpcName, request, { uniqueField });
    return answerJson<object>(context, { success: true, ...record });
  };

  const routes: Route[] = [
    { method: "POST", path, handlers: [createOne] },
    { method: "GET", path, handlers: [listPage] },
    { method: "GET", path: `${path}/:id`, handlers: [getOne] },
  ];
  if (update === undefined) return routes;
  return [...routes, { method: "PATCH", path: `${path}/:id`, handlers: [updateOne(update)] }];
}
