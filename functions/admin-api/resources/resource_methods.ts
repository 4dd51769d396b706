import type * as z from "zod";
import type { Database } from "../../../shared/database/database.ts";
import type { Once, RecordedResult } from "../../../shared/database/rpcs/idempotency.ts";
import type { Page } from "../../../shared/database/rpcs/page.ts";
import type { Refusal } from "../../../shared/database/rpcs/tenancy.ts";
import type { ChangeCheck, CrossCheck } from "../../../shared/http/validate.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import type { PageQuery } from "../../../shared/http/page.ts";

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
