import type * as z from "zod";
import type { ErrorCode } from "../model/errors.ts";
import type { HttpMethod } from "../http/create_app.ts";

/** What opens an operation: the instance's token, the project's secret key, or nothing. */
export type Access = "clientToken" | "secretKey" | "public";

/** Under which heading the reference lists an operation. */
export type Tag =
  | "Contacts"
  | "Conversations"
  | "Messages"
  | "AI agent"
  | "Phone numbers"
  | "Webhooks"
  | "Administration"
  | "Dispatcher"
  | "Reference";

/** A value of the path, written `:name` in the path. */
export interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** Default: a UUID. */
  readonly schema?: z.ZodType;
}

/** The answer of an operation that does what it was asked for. */
export interface SuccessResponse {
  /** Default 200. */
  readonly status?: 200 | 201;
  readonly description: string;
  /** The whole body, `success` included; none where the answer is no JSON. */
  readonly schema?: z.ZodType;
  /** What the document calls the schema, where several operations answer with the same. */
  readonly schemaName?: string;
  /** Default `application/json`. */
  readonly mediaType?: string;
}

/** One call that works against the demo workspace, and what it is answered with. */
export interface OperationExample {
  /** Unique within the operation. */
  readonly name: string;
  readonly summary: string;
  /** The body, or the query where the operation takes no body. */
  readonly request?: Readonly<Record<string, unknown>>;
  readonly response: unknown;
}

/**
 * What one operation promises. Read by the generator of the OpenAPI document and by the contract
 * tests, never by a running function: so it may describe at length, and costs no cold start.
 */
export interface Operation {
  readonly method: HttpMethod;
  /** Below the function's own path, as in its routes; `/` is the function itself. */
  readonly path: string;
  /** Unique in the document; the names of its schemas begin with it. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The body's forms as the document shows them, where one field decides which others belong to it. */
  readonly documentedBody?: z.ZodType;
  /** What a body holds whose shape is another's: read after authentication, as any media type. */
  readonly foreignBody?: string;
  /** Largest body in KiB where it is not 256. */
  readonly maxBodyKiB?: number;
  /** Whether it takes an `Idempotency-Key`. */
  readonly isIdempotent?: boolean;
  readonly success: SuccessResponse;
  /** What it refuses beside what follows from access, body, query and idempotency. */
  readonly errors: readonly ErrorCode[];
  /** What a refusal of the provider carries beside the envelope, each of it optional. */
  readonly failure?: z.ZodObject;
  /** Meanings of fields that the glossary does not know or knows otherwise, by dotted path. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly examples: readonly OperationExample[];
}
