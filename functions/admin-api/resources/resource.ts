import type * as z from "zod";
import type { Database } from "../../../shared/database/database.ts";
import type { Route } from "../../../shared/http/create_app.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import type { AnswerOf } from "../../../shared/model/response_fields.ts";
import { createRecordRoutes } from "../record_routes.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";
import type { ResourceMethods } from "./resource_methods.ts";

/**
 * One administered resource. Its routes, its part of the OpenAPI document and its commands are
 * generated from this definition. Its descriptions are in `<name>_docs.ts`.
 */
export interface Resource {
  readonly path: string;
  readonly idName: string;
  readonly notFound: ErrorCode;
  /** A record as responses show it. */
  readonly record: z.ZodRawShape;
  readonly list: { readonly schema: z.ZodObject };
  readonly get?: unknown;
  readonly create?: { readonly schema: z.ZodObject };
  readonly update?: { readonly schema: z.ZodObject };
  /** The standard routes of its methods. */
  readonly createRoutes: (database: Database) => Route[];
}

/** `never` if a record has a member that `Fields` lacks, so that the definition is a type error. */
type OnlyFields<Fields, Stored> = KeysOf<Stored> extends keyof Fields ? unknown : never;

/** The members of every type of a union. */
type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/**
 * Defines a resource. A record of an SQL function that does not have exactly the fields of `record`
 * is a type error.
 */
export function defineResource<
  Fields extends z.ZodRawShape,
  List extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Listed extends AnswerOf<z.ZodObject<Fields>>,
  Read extends AnswerOf<z.ZodObject<Fields>>,
  Created extends AnswerOf<z.ZodObject<Fields>>,
  Updated extends AnswerOf<z.ZodObject<Fields>>,
>(
  definition: ResourceMethods<List, Create, Update, Listed, Read, Created, Updated> & {
    readonly record: Fields & OnlyFields<Fields, Listed | Read | Created | Updated>;
  },
): Resource {
  const answers = {
    record: recordAnswer(definition.record),
    page: pageAnswer(definition.record),
  };
  return {
    ...definition,
    createRoutes: (database) => createRecordRoutes(database, definition, answers),
  };
}
