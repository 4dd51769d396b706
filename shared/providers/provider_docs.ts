import type * as z from "zod";
import type { KnownCode } from "./classification.ts";

/** One example of a webhook call. */
export interface WebhookExample {
  /** Unique within the operation. */
  readonly name: string;
  readonly summary: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The API document's part about a provider. A running function never loads it. */
export interface ProviderDocs {
  /** Names the operations: `receive<operationName>Events`. */
  readonly operationName: string;
  /** The example's instance: one of the demo workspace (supabase/seed.sql). */
  readonly exampleInstanceId: string;
  /** The fields of `providerConfig`, in Markdown, required ones first. */
  readonly configFields: string;
  /** The meanings of those of its fields that no other provider has; see the glossary of the document. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its error codes, where it has any: the rows of docs/errors.md. */
  readonly codes?: readonly KnownCode[];
  readonly webhook: {
    readonly summary: string;
    readonly description: string;
    /** What the body is. */
    readonly foreignBody: string;
    readonly example: WebhookExample;
  };
  /** The GET that verifies the address; for providers with `answerChallenge`. */
  readonly challenge?: {
    readonly summary: string;
    readonly description: string;
    readonly query: z.ZodObject;
    /** The meanings of the query's fields. */
    readonly fields: Readonly<Record<string, string>>;
    readonly example: WebhookExample & { readonly response: string };
  };
}
