import type * as z from "zod";
import type { ErrorCode } from "../model/errors.ts";
import type { HttpMethod } from "../model/http_method.ts";

/** The credential of an operation: the instance's token, the project's secret key, or none. */
export type Access = "clientToken" | "secretKey" | "public";

/** The heading of an operation in the reference. */
export type Tag =
  | "Contacts"
  | "Conversations"
  | "Events"
  | "Media"
  | "Messages"
  | "Batches"
  | "AI agent"
  | "Phone numbers"
  | "Webhooks"
  | "Administration"
  | "Connection page"
  | "Dispatcher"
  | "Reference";

/** A path parameter, written `:name` in the path. */
export interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** Default: a UUID. */
  readonly schema?: z.ZodType;
}

/** The success response of an operation. */
export interface SuccessResponse {
  /** Default 200. */
  readonly status?: 200 | 201 | 202 | 302 | 304;
  readonly description: string;
  /** The whole body, including `success`; absent where the response is not JSON. */
  readonly schema?: z.ZodType;
  /** The schema's name in the document, where several operations share it. */
  readonly schemaName?: string;
  /** Default `application/json`. */
  readonly mediaType?: string;
}

/** One call that works against the demo workspace, with its response. */
export interface OperationExample {
  /** Unique within the operation. */
  readonly name: string;
  readonly summary: string;
  /** The body, or the query where the operation takes no body. */
  readonly request?: Readonly<Record<string, unknown>>;
  readonly response: unknown;
}

/**
 * The contract of one operation. Only the generator of the OpenAPI document and the contract tests
 * import it. Running functions do not, so long descriptions cost no cold start.
 */
export interface Operation {
  readonly method: HttpMethod;
  /** Relative to the function's path, as in its routes; `/` is the function itself. */
  readonly path: string;
  /** Unique in the document. The names of the operation's schemas begin with it. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  readonly query?: z.ZodObject;
  /** Whether unknown parameters of the query are named in `ignoredFields` instead of being refused. */
  readonly ignoresParameters?: boolean;
  readonly body?: z.ZodObject;
  /** The variants of the body in the document, where one field determines the others. */
  readonly documentedBody?: z.ZodType;
  /**
   * Describes a body of another party's format. It is read after authentication, with any media
   * type.
   */
  readonly foreignBody?: string;
  /** The field of a form that the operation takes in place of `body`: it holds a file. */
  readonly fileField?: string;
  /** Largest body in KiB. Default: 256. */
  readonly maxBodyKiB?: number;
  /** Whether the body may be empty. */
  readonly isBodyOptional?: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  readonly isIdempotent?: boolean;
  readonly success: SuccessResponse;
  /** What it answers in another success, with a status of its own and the name of another's schema, if any. */
  readonly otherSuccess?: SuccessResponse;
  /** Its own errors, in addition to those that follow from access, body, query and idempotency. */
  readonly errors: readonly ErrorCode[];
  /** Optional members of a provider's error beside the envelope. */
  readonly failure?: z.ZodObject;
  /** Meanings of fields that the glossary lacks or defines differently, by dotted path. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly examples: readonly OperationExample[];
}
