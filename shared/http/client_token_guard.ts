import type { Context, MiddlewareHandler } from "hono";
import { hashClientToken } from "../client_token.ts";
import type { Database } from "../database/database.ts";
import { AppError } from "../errors.ts";
import type { Instance } from "../instances.ts";
import type { Idempotency } from "../idempotent_response.ts";
import type { AppVariables } from "./create_app.ts";
import { readIdempotency } from "./idempotency.ts";
import { type JsonObject, readJsonBody } from "./json_body.ts";
import { applyRateLimit, type RateLimit } from "./rate_limit.ts";

/** What the guard leaves for the handler. */
export interface ClientVariables extends AppVariables {
  tokenId: string;
  /** The body of a body endpoint, an empty object otherwise. */
  body: JsonObject;
  /** NULL where the request names an instance that the token does not open. */
  instance: Instance | null;
}

export type ClientContext = Context<{ Variables: ClientVariables }>;

export interface GuardOptions {
  /** Whether a POST carries its request as JSON; else it names its instance in the query. */
  readonly hasBody?: boolean;
}

interface Authentication {
  readonly tokenId: string | null;
  readonly instance: Instance | null;
  /** NULL where the instance sets no limit. */
  readonly rateLimit: RateLimit | null;
}

/**
 * Lets a request pass that carries a live client token (specification, section 5), in one round
 * trip together with the instance it names and the count of its requests. Who has no token learns
 * nothing of the body's faults.
 */
export function createClientTokenGuard(
  database: Database,
  options: GuardOptions = {},
): MiddlewareHandler<{ Variables: ClientVariables }> {
  const hasBody = options.hasBody ?? true;
  return async (context, next) => {
    const token = context.req.header("x-client-token")?.trim();
    if (!token) throw new AppError("missing_client_token");
    const takesBody = hasBody && context.req.method === "POST";
    const body = takesBody ? await readBody(context) : {};
    const reference = readReference(takesBody ? body : context.req.query());
    const { tokenId, instance, rateLimit } = await database.rpc<Authentication>(
      "authenticate_client",
      {
        tokenHash: await hashClientToken(token),
        instanceRef: reference,
        functionName: context.get("functionName"),
      },
    );
    if (tokenId === null) throw new AppError("invalid_client_token");
    applyRateLimit(context, rateLimit);
    if (body instanceof AppError) throw body;
    context.set("tokenId", tokenId);
    context.set("body", body);
    context.set("instance", instance);
    context.set("instanceId", instance?.instanceId);
    await next();
  };
}

/**
 * The instance that the request names. Asked for after validation, so that a request with faults
 * hears of all of them.
 *
 * @throws {AppError} `Instance not found`, the same for a foreign instance as for none.
 */
export function requireInstance(context: ClientContext): Instance {
  const instance = context.get("instance");
  if (instance === null) throw new AppError("Instance not found");
  return instance;
}

/** The call's `Idempotency-Key`, which belongs to its token; null without one. */
export function readClientIdempotency(context: ClientContext): Promise<Idempotency | null> {
  return readIdempotency(context, context.get("tokenId"), context.get("body"));
}

/** The body, or why there is none: said only to who has a token. */
async function readBody(context: ClientContext): Promise<JsonObject | AppError> {
  try {
    return await readJsonBody(context);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function readReference(holder: JsonObject | AppError): string | null {
  const reference = holder instanceof AppError ? null : holder["instanceId"];
  if (typeof reference !== "string" || reference === "") return null;
  // Read before validation, and Postgres takes neither NUL nor half of a surrogate pair: with them no
  // instance is meant.
  return reference.toWellFormed().replaceAll("\u0000", "\ufffd");
}
