import type * as z from "zod";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import type { ChangeCheck, CrossCheck } from "../../../shared/http/validate.ts";
import type { ChangingRpc, CreatingRpc, ListingRpc, ReadingRpc } from "../record_calls.ts";

/** How one method of a resource reads its request, and which SQL function answers it. */
export interface RecordMethod<Name extends RpcName> {
  readonly rpcName: Name;
  readonly schema: z.ZodObject;
  readonly crossCheck?: CrossCheck;
}

/** How a change reads its request. */
export interface Update extends RecordMethod<ChangingRpc> {
  readonly checkChange?: ChangeCheck;
}

/**
 * One administered resource. Its routes, its part of the OpenAPI document and its command line follow
 * from this definition; what the document says of it in words stands beside it, in `<name>_docs.ts`.
 */
export interface Resource {
  readonly path: string;
  /** What its id is called in requests and responses. */
  readonly idName: string;
  readonly notFound: ErrorCode;
  /** The field that no two records of one owner may share. */
  readonly uniqueField?: string;
  /** A record as responses hold it. */
  readonly record: z.ZodRawShape;
  readonly list: RecordMethod<ListingRpc>;
  readonly create: RecordMethod<CreatingRpc>;
  readonly update?: Update;
}

/** A resource whose routes need no code of their own. */
export interface PlainResource extends Resource {
  readonly get: { readonly rpcName: ReadingRpc };
}
