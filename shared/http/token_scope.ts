import { AppError } from "../model/errors.ts";
import type { TokenScope } from "../model/token_scope.ts";

/** The scope of each function that takes a client token. */
const scopeByFunction: Readonly<Record<string, TokenScope>> = {
  "send-message": "send",
  "send-template-message": "send",
  "process-ai-agent": "send",
  "messages-api": "send",
  "contacts-api": "contacts",
  "conversations-api": "conversations",
  "messages-context": "history",
  "events-api": "events",
  "media-api": "media",
  "batches-api": "batches",
};

/**
 * The scopes of which a call needs one. Reading in messages-api is also open to who reads the history.
 *
 * @throws Error for a function without a row: a defect, and better no answer than an open door.
 */
export function listScopesOf(functionName: string, method: string): readonly TokenScope[] {
  const scope = Object.hasOwn(scopeByFunction, functionName) && scopeByFunction[functionName];
  if (!scope) throw new Error(`${functionName} has no token scope`);
  const isReading = method === "GET" || method === "HEAD";
  return functionName === "messages-api" && isReading ? [scope, "history"] : [scope];
}

/**
 * Requires that a token's scopes include the call.
 *
 * @param granted null for a token that has them all.
 * @throws {AppError} `insufficient_scope`.
 */
export function requireScope(
  granted: readonly TokenScope[] | null,
  functionName: string,
  method: string,
): void {
  const sufficient = listScopesOf(functionName, method);
  if (granted === null || sufficient.some((scope) => granted.includes(scope))) return;
  throw new AppError("insufficient_scope", {
    message: `The token has no scope for this call: it needs ${sufficient.join(" or ")}.`,
  });
}
