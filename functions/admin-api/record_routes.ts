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
import { pageAnswer, recordAnswer } from "./resources/answers.ts";
import type { ListQuery, ResourceMethods } from "./resources/resource_methods.ts";

/** Routes for the methods of a resource that have no route of their own. */
export function createRecordRoutes<
  List extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
>(
  database: Database,
  resource: ResourceMethods<List, Create, Update> & { readonly record: z.ZodRawShape },
): Route[] {
  const { path, notFound, uniqueField, get, list, create, update } = resource;
  const recordSchema = recordAnswer(resource.record);
  const pageSchema = pageAnswer(resource.record);
  const listPage = async (context: AdminContext): Promise<Response> => {
    const query: z.infer<List> & ListQuery = validate(list.schema, context.req.query());
    const page = await readPage(
      path,
      await withInstanceId(database, query),
      (request) => list.read(database, request),
    );
    return answerOutcome(context, pageSchema, { outcome: page, isReplay: false });
  };
  const routes: Route[] = [{ method: "GET", path, query: list.schema, handlers: [listPage] }];

  if (get !== undefined) {
    const getOne = async (context: AdminContext): Promise<Response> => {
      const record = await get(database, requireId(context, "id", notFound));
      return answerOutcome(context, recordSchema, { outcome: record, isReplay: false });
    };
    routes.push({ method: "GET", path: `${path}/:id`, handlers: [getOne] });
  }

  if (create?.execute !== undefined) {
    const { schema, crossCheck, execute } = create;
    const createOne = async (context: AdminContext): Promise<Response> => {
      const body = await readJsonBody(context);
      const request = await withInstanceId(
        database,
        validateBody(context, schema, body, crossCheck),
      );
      const idempotency = await readAdminIdempotency(context, body);
      const created = await executeOnce(
        execute(database, { ...request, idempotency }),
        { uniqueField },
      );
      return answerOutcome(context, recordSchema, created, 201);
    };
    routes.push({ method: "POST", path, handlers: [createOne] });
  }

  if (get !== undefined && update?.execute !== undefined) {
    const { schema, checkChange, execute } = update;
    const updateOne = async (context: AdminContext): Promise<Response> => {
      const id = requireId(context, "id", notFound);
      const body = await readJsonBody(context);
      const stored = checkChange && await get(database, id);
      const check: CrossCheck | undefined = stored && ((change) => checkChange(change, stored));
      const changes = validateBody(context, schema, body, check);
      const record = await changeRecord(execute(database, id, changes), { uniqueField });
      return answerOutcome(context, recordSchema, { outcome: record, isReplay: false });
    };
    routes.push({ method: "PATCH", path: `${path}/:id`, handlers: [updateOne] });
  }
  return routes;
}
