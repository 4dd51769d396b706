import type * as z from "zod";
import type { Database } from "../../shared/database/database.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { readPage } from "../../shared/http/page.ts";
import { answerOutcome } from "../../shared/http/recorded_answer.ts";
import { type CrossCheck, validate, validateBody } from "../../shared/http/validate.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { withInstanceId } from "./instance_reference.ts";
import { changeRecord, executeOnce } from "./record_calls.ts";
import type { ListQuery, ResourceMethods } from "./resources/resource_methods.ts";

/** The schemas of a resource's answers: a record, and a page of records. */
export interface RecordAnswers {
  readonly record: z.ZodObject;
  readonly page: z.ZodObject;
}

/** Routes for the methods of a resource that have no route of their own. */
export function createRecordRoutes<
  List extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
>(
  database: Database,
  resource: ResourceMethods<List, Create, Update>,
  answers: RecordAnswers,
): Route[] {
  const { path } = resource;
  const onePath = `${path}/:id`;
  const query = resource.list.schema;
  const getOne = handleGet(database, resource, answers);
  const createOne = handleCreate(database, resource, answers);
  const updateOne = handleUpdate(database, resource, answers);
  const routes: (Route | null)[] = [
    { method: "GET", path, query, handlers: [handleList(database, resource, answers)] },
    getOne && { method: "GET", path: onePath, handlers: [getOne] },
    createOne && { method: "POST", path, handlers: [createOne] },
    updateOne && { method: "PATCH", path: onePath, handlers: [updateOne] },
  ];
  return routes.filter((route) => route !== null);
}

type Handler = (context: AdminContext) => Promise<Response>;

function handleList<List extends z.ZodObject>(
  database: Database,
  { path, list }: Pick<ResourceMethods<List, z.ZodObject, z.ZodObject>, "path" | "list">,
  { page: pageSchema }: RecordAnswers,
): Handler {
  return async (context) => {
    const query: z.infer<List> & ListQuery = validate(list.schema, context.req.query());
    const page = await readPage(
      path,
      await withInstanceId(database, query),
      (request) => list.read(database, request),
    );
    return answerOutcome(context, pageSchema, { outcome: page, isReplay: false });
  };
}

/** Null for a resource whose records cannot be read one by one. The same of the others. */
function handleGet(
  database: Database,
  { get, notFound }: Pick<
    ResourceMethods<z.ZodObject, z.ZodObject, z.ZodObject>,
    "get" | "notFound"
  >,
  answers: RecordAnswers,
): Handler | null {
  if (get === undefined) return null;
  return async (context) => {
    const record = await get(database, requireId(context, "id", notFound));
    return answerOutcome(context, answers.record, { outcome: record, isReplay: false });
  };
}

function handleCreate<Create extends z.ZodObject>(
  database: Database,
  { create, uniqueField }: Pick<
    ResourceMethods<z.ZodObject, Create, z.ZodObject>,
    "create" | "uniqueField"
  >,
  answers: RecordAnswers,
): Handler | null {
  const { schema, crossCheck, execute } = create ?? {};
  if (schema === undefined || execute === undefined) return null;
  return async (context) => {
    const body = await readJsonBody(context);
    const request = await withInstanceId(database, validateBody(context, schema, body, crossCheck));
    const idempotency = await readAdminIdempotency(context, body);
    const created = await executeOnce(
      execute(database, { ...request, idempotency }),
      { uniqueField },
    );
    return answerOutcome(context, answers.record, created, 201);
  };
}

function handleUpdate<Update extends z.ZodObject>(
  database: Database,
  { get, update, notFound, uniqueField }: Pick<
    ResourceMethods<z.ZodObject, z.ZodObject, Update>,
    "get" | "update" | "notFound" | "uniqueField"
  >,
  answers: RecordAnswers,
): Handler | null {
  const { schema, checkChange, execute } = update ?? {};
  if (get === undefined || schema === undefined || execute === undefined) return null;
  return async (context) => {
    const id = requireId(context, "id", notFound);
    const body = await readJsonBody(context);
    const stored = checkChange && await get(database, id);
    const check: CrossCheck | undefined = stored && ((change) => checkChange(change, stored));
    const changes = validateBody(context, schema, body, check);
    const record = await changeRecord(execute(database, id, changes), { uniqueField });
    return answerOutcome(context, answers.record, { outcome: record, isReplay: false });
  };
}
