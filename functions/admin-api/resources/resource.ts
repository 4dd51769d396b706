import type * as z from "zod";
import type { Database } from "../../../shared/database/database.ts";
import type { Once, RecordedResult } from "../../../shared/database/rpcs/idempotency.ts";
import type { Page } from "../../../shared/database/rpcs/page.ts";
import type { Refusal } from "../../../shared/database/rpcs/tenancy.ts";
import type { Route } from "../../../shared/http/create_app.ts";
import type { ChangeCheck, CrossCheck } from "../../../shared/http/validate.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import type { AnswerOf, successField } from "../../../shared/model/response_fields.ts";
import type { PageQuery } from "../record_calls.ts";
import { createRecordRoutes } from "../record_routes.ts";

/** A record as the members beside `success`, by its fields. */
export type RecordAnswer<Fields extends z.ZodRawShape> = AnswerOf<
  z.ZodObject<typeof successField & Fields>
>;

/** A page of a collection, by the fields of its records. */
export interface PageAnswer<Fields extends z.ZodRawShape> {
  readonly success: true;
  readonly items: readonly AnswerOf<z.ZodObject<Fields>>[];
  readonly nextCursor: string | null;
}

/** The query of a collection, as the schema of every list returns it. */
export type ListQuery = { readonly cursor?: string | undefined };

/**
 * The methods of a resource: the schemas of their requests, and the records that their SQL functions
 * return.
 */
export interface ResourceMethods<
  List extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Listed = object,
  Read = object,
  Created = object,
  Updated = object,
> {
  readonly path: string;
  /** The name of its id in requests and responses. */
  readonly idName: string;
  readonly notFound: ErrorCode;
  /** The field that is unique among the records of one owner. */
  readonly uniqueField?: string;
  readonly list: {
    readonly schema: List;
    readonly read: (
      database: Database,
      query: PageQuery<z.infer<List> & ListQuery>,
    ) => Promise<Page<Listed>>;
  };
  readonly get?: (database: Database, id: string) => Promise<Read>;
  readonly create?: {
    readonly schema: Create;
    readonly crossCheck?: CrossCheck;
    /** Absent where the resource has a route of its own. */
    readonly execute?: (
      database: Database,
      request: Once<z.infer<Create>>,
    ) => Promise<RecordedResult<Created> | Refusal>;
  };
  readonly update?: {
    readonly schema: Update;
    readonly checkChange?: ChangeCheck;
    /** Absent where the resource has a route of its own. */
    readonly execute?: (
      database: Database,
      id: string,
      changes: z.infer<Update>,
    ) => Promise<Updated | Refusal>;
  };
}

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
  return {
    ...definition,
    createRoutes: (database) => createRecordRoutes(database, definition),
  };
}
