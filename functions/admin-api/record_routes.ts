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
  type AdminPage,
  changeRecord,
  type ChangingRpc,
  type CreatingRpc,
  executeOnce,
  type ItemOf,
  type ListingRpc,
  listRecords,
  type ReadingRpc,
  type RecordOf,
} from "./record_calls.ts";
import type { PlainResource, Update } from "./resources/resource.ts";

/**
 * A record of any resource. `defineResource` checks that the SQL functions return the declared
 * record.
 */
type AnyRecordAnswer =
  & { readonly success: true }
  & RecordOf<ReadingRpc | CreatingRpc | ChangingRpc>;

type AnyPageAnswer = { readonly success: true } & AdminPage<ItemOf<ListingRpc>>;

/** Routes to create, list, read and, where supported, change one resource. */
export function createRecordRoutes(database: Database, kind: PlainResource): Route[] {
  const { path, idName, notFound, uniqueField, get, list, create, update } = kind;

  // A resource's schema produces the request of its SQL functions. The compiler cannot match the
  // two types here, because this code is generic over resources; hence the casts.
  const readTarget = (context: AdminContext): Readonly<Record<string, string>> => ({
    [idName]: requireId(context, "id", notFound),
  });
  const readRecord = (target: Readonly<Record<string, string>>): Promise<RecordOf<ReadingRpc>> =>
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
    return answerRecorded<AnyRecordAnswer>(context, created, 201);
  };

  const listPage = async (context: AdminContext): Promise<Response> => {
    const query = await withInstanceId(database, validate(list.schema, context.req.query()));
    const page = await listRecords(
      database,
      list.rpcName,
      query as unknown as RequestOf<ListingRpc>,
    );
    return answerJson<AnyPageAnswer>(context, { success: true, ...page });
  };

  const getOne = async (context: AdminContext): Promise<Response> => {
    const record = await readRecord(readTarget(context));
    return answerJson<AnyRecordAnswer>(context, { success: true, ...record });
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
    return answerJson<AnyRecordAnswer>(context, { success: true, ...record });
  };

  const routes: Route[] = [
    { method: "POST", path, handlers: [createOne] },
    { method: "GET", path, handlers: [listPage] },
    { method: "GET", path: `${path}/:id`, handlers: [getOne] },
  ];
  if (update === undefined) return routes;
  return [...routes, { method: "PATCH", path: `${path}/:id`, handlers: [updateOne(update)] }];
}
