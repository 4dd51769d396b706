import type { Database } from "../../shared/database/database.ts";
import type { Authentication } from "../../shared/database/rpcs/tenancy.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { TokenScope } from "../../shared/model/token_scope.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A call of another function of this service. */
export interface ApiCall {
  readonly method: "GET" | "POST";
  /** The function's name and what follows it. */
  readonly path: string;
  readonly query?: JsonObject;
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
}

/** Makes a request to a function of this service: over HTTP, or within the process of a test. */
export type CallFunction = (path: string, init: RequestInit) => Promise<Response>;

/** A client of the protocol, with what its token opens. */
export interface McpSession {
  readonly database: Database;
  readonly tokenId: string;
  readonly instanceId: string;
  /** Null for a token that has every scope. */
  readonly scopes: readonly TokenScope[] | null;
  readonly timeZone: string;
  /** @throws {ToolRefusal} for any answer but a success. */
  call(call: ApiCall): Promise<JsonObject>;
}

/** A call that the model has to change or to leave. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  constructor(readonly body: JsonObject) {
    super(String(body["error"]));
  }
}

/** Longer than a provider and the database may take together. */
const timeoutMs = 60_000;

/** The session of an authenticated token. @throws {AppError} `invalid_client_token`. */
export function openSession(
  { tokenId, scopes, instance }: Authentication,
  { token, database, callFunction }: {
    readonly token: string;
    readonly database: Database;
    readonly callFunction: CallFunction;
  },
): McpSession {
  if (tokenId === null || instance === null) throw new AppError("invalid_client_token");
  const { instanceId, timeZone } = instance;
  const call = async (
    { method, path, query = {}, body, idempotencyKey }: ApiCall,
  ): Promise<JsonObject> => {
    const given = Object.entries(query).filter(([, value]) => (value ?? undefined) !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const headers = {
      "x-client-token": token,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    const answer = await request(callFunction, `${path}${given.length > 0 ? `?${search}` : ""}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer;
  };
  return { database, tokenId, instanceId, scopes, timeZone, call };
}

async function request(
  callFunction: CallFunction,
  path: string,
  init: RequestInit,
): Promise<JsonObject> {
  let response: Response;
  let body: JsonObject;
  try {
    response = await callFunction(path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    body = await response.json();
  } catch {
    throw new ToolRefusal({
      error: "no_answer",
      message: "The service has not answered. Repeat the call; a send with the same intent.",
    });
  }
  if (response.ok) {
    const { success: _, ...found } = body;
    return found;
  }
  const retryAfter = response.headers.get("retry-after");
  const { success: _, ...refusal } = body;
  throw new ToolRefusal({
    ...refusal,
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
  });
}
