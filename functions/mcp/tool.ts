import * as z from "zod";
import { requireScope, type ScopedCall } from "../../shared/http/token_scope.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { JsonObject, McpSession } from "./session.ts";

/** A tool of the Model Context Protocol. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** What of its answer is the service's own: every other text is quoted. */
  readonly record: z.ZodObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** The call of the API that it stands for: a token that may not make it does not see the tool. */
  readonly call: ScopedCall;
  /** Whether fewer items may be asked for, so that the answer fits. Never of a tool that changes anything. */
  readonly isPaged: boolean;
  run(args: JsonObject, session: McpSession): Promise<JsonObject>;
}

export const readsOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Members that every result has beside its own. */
const quoted = {
  quoting: z.string().describe("How quoted text is marked in this answer."),
  isTruncated: z.boolean().optional().describe("Whether texts were cut to fit."),
};

/** The schema of a result: its own members, and others that the API answers. */
export function outputOf(members: z.ZodRawShape): z.ZodObject {
  return z.looseObject({ ...quoted, ...members });
}

/** The schema of a page of items. */
export function pageOf(what: string): z.ZodObject {
  return outputOf({
    items: z.array(z.looseObject({})).describe(what),
    nextCursor: z.string().nullable().describe(
      "Give it as `cursor` for the next page; null at the end.",
    ),
  });
}

export const pageInput = {
  limit: z.int().min(1).max(50).default(20)
    .describe("Items a page; an answer of 20 kB may have fewer."),
  cursor: z.string().max(2_000).optional().describe("`nextCursor` of the answer before."),
};

export const recipientInput = {
  contactId: z.uuid().optional().describe("The contact; or give phone or userId."),
  phone: z.string().max(40).optional().describe("8 to 15 digits with country code."),
  userId: z.string().max(140).optional().describe("The official channel's id of a person."),
};

/** Whether a token may call what the tool stands for. */
export function isAllowed({ call }: Tool, { scopes }: McpSession): boolean {
  try {
    requireScope(scopes, call);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
