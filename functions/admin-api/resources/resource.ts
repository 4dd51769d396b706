import type * as z from "zod";
import type { RpcName } from "../../../shared/database/rpcs.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import type { AnswerOf, successField } from "../../../shared/model/response_fields.ts";
import type { ChangeCheck, CrossCheck } from "../../../shared/http/validate.ts";
import type {
  ChangingRpc,
  CreatingRpc,
  ItemOf,
  ListingRpc,
  ReadingRpc,
  RecordOf,
} from "../record_calls.ts";

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

/** The request schema of one method of a resource, and the SQL function that executes it. */
export interface RecordMethod<Name extends RpcName> {
  readonly rpcName: Name;
  readonly schema: z.ZodObject;
  readonly crossCheck?: CrossCheck;
}

/** The request schema of a change. */
export interface Update extends RecordMethod<ChangingRpc> {
  readonly checkChange?: ChangeCheck;
}

/**
 * One administered resource. Its routes, its part of the OpenAPI document and its commands are
 * generated from this definition. Its descriptions are in `<name>_docs.ts`.
 */
export interface Resource {
  readonly path: string;
  /** The name of its id in requests and responses. */
  readonly idName: string;
  readonly notFound: ErrorCode;
  /** The field that is unique among the records of one owner. */
  readonly uniqueField?: string;
  /** A record as responses show it. */
  readonly record: z.ZodRawShape;
  readonly list: RecordMethod<ListingRpc>;
  readonly create: RecordMethod<CreatingRpc>;
  readonly update?: Update;
}

/** A resource with the standard routes. */
export interface PlainResource extends Resource {
  readonly get: { readonly rpcName: ReadingRpc };
}

/** `Name` if `Result` has exactly the members and types of `Fields`; otherwise never. */
type IfAnswers<Name, Result, Fields extends z.ZodRawShape> = Result extends
  AnswerOf<z.ZodObject<Fields>> ? keyof Result extends keyof Fields ? Name : never : never;

/** The functions whose record has exactly these fields. */
type Returning<Name extends RpcName, Fields extends z.ZodRawShape> = {
  [Each in Name]: IfAnswers<Each, RecordOf<Each>, Fields>;
}[Name];

/** The same for functions that return pages. */
type Listing<Fields extends z.ZodRawShape> = {
  [Each in ListingRpc]: IfAnswers<Each, ItemOf<Each>, Fields>;
}[ListingRpc];

interface Named<Name> {
  readonly rpcName: Name;
}

/** Requires the SQL functions of a resource to return its record. */
interface HeldToRecord<Fields extends z.ZodRawShape> {
  readonly record: Fields;
  readonly list: Named<Listing<Fields>>;
  readonly create: Named<Returning<CreatingRpc, Fields>>;
  readonly update?: Named<Returning<ChangingRpc, Fields>>;
}

/** Defines a resource. An SQL function whose records differ from `record` is a type error. */
export function defineResource<Fields extends z.ZodRawShape>(
  resource: Resource & HeldToRecord<Fields>,
): Resource {
  return resource;
}

/** The same for a resource with the standard routes. */
export function definePlainResource<Fields extends z.ZodRawShape>(
  resource: PlainResource & HeldToRecord<Fields> & {
    readonly get: Named<Returning<ReadingRpc, Fields>>;
  },
): PlainResource {
  return resource;
}
