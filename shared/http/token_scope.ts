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

/** Open to every token: what it offers, it asks for by the calls that it stands for. */
const openFunctions: readonly string[] = ["mcp"];

/** A call as its route knows it. */
export interface ScopedCall {
  readonly functionName: string;
  readonly method: string;
  /** The pattern of the route, with the function's name. */
  readonly route: string;
  /** Whether the call reaches the other instances of the workspace (`scope=workspace`). */
  readonly isWide?: boolean;
}

/** What a call needs: of each of these lists one scope. */
type RequiredScopes = readonly (readonly TokenScope[])[];

/** Operations that need something else than their function's scope. */
const scopesByOperation: Readonly<Record<string, RequiredScopes>> = {
  "DELETE /contacts-api/contacts/:id": [["erase"]],
  "GET /contacts-api/erasures/:id": [["contacts", "erase"]],
  // It holds the person's messages.
  "GET /contacts-api/contacts/:id/export": [["contacts"], ["history"]],
  // It reaches other instances.
  "GET /contacts-api/contacts/:id/export?scope=workspace": [["contacts"], ["history"], ["erase"]],
  // They are for who sends them.
  "GET /messages-api/templates": [["send"]],
};

/**
 * The scopes that a call needs. Reading in messages-api is also open to who reads the history.
 *
 * @throws Error for a function without a row: a defect, and better no answer than an open door.
 */
export function listRequiredScopes(
  { functionName, method, route, isWide }: ScopedCall,
): RequiredScopes {
  if (openFunctions.includes(functionName)) return [];
  const scope = Object.hasOwn(scopeByFunction, functionName) && scopeByFunction[functionName];
  if (!scope) throw new Error(`${functionName} has no token scope`);
  const operation = `${method === "HEAD" ? "GET" : method} ${route}`;
  const wide = `${operation}?scope=workspace`;
  const key = isWide === true && Object.hasOwn(scopesByOperation, wide) ? wide : operation;
  const own = Object.hasOwn(scopesByOperation, key) && scopesByOperation[key];
  if (own) return own;
  const isReading = operation.startsWith("GET ");
  return functionName === "messages-api" && isReading ? [[scope, "history"]] : [[scope]];
}

/**
 * Requires that a token's scopes include the call.
 *
 * @param granted null for a token that has them all.
 * @throws {AppError} `insufficient_scope`.
 */
export function requireScope(granted: readonly TokenScope[] | null, call: ScopedCall): void {
  const required = listRequiredScopes(call);
  const isGranted = (scopes: readonly TokenScope[]): boolean =>
    granted === null || scopes.some((scope) => granted.includes(scope));
  if (required.every(isGranted)) return;
  const needed = required.map((scopes) => scopes.join(" or ")).join(" and ");
  throw new AppError("insufficient_scope", {
    message: `The token has no scope for this call: it needs ${needed}.`,
  });
}
