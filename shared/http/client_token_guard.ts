import type { Context, MiddlewareHandler } from "hono";
import { createTokenHasher, type HashToken } from "../crypto/token_hash_cache.ts";
import type { Database } from "../database/database.ts";
import { AppError } from "../model/errors.ts";
import type { Authentication } from "../database/rpcs/tenancy.ts";
import type { PendingAuthentication } from "../messages/accept.ts";
import { isBlank } from "../model/visible_text.ts";
import type { Instance } from "../model/instance.ts";
import type { Idempotency } from "../database/rpcs/idempotency.ts";
import type { AppVariables } from "./app_variables.ts";
import { readIdempotency } from "./idempotency.ts";
import { knownCallers } from "./known_callers.ts";
import { type JsonObject, readJsonBody, readOptionalJsonBody } from "./json_body.ts";
import { refuseDeclaredBody } from "./request_body.ts";
import { applyRateLimit } from "./rate_limit.ts";
import { requireScope } from "./token_scope.ts";

/** The values that the guard passes to the handler. */
export interface ClientVariables extends AppVariables {
  tokenId: string;
  /** The JSON body of a request that has one; otherwise an empty object. */
  body: JsonObject;
  /** Null where the request names an instance that the token does not grant access to. */
  instance: Instance | null;
  /** Whether a form's field that came late names an instance that the token does not open. */
  isForeign?: (holder: JsonObject) => boolean;
  /** Null where the request is authenticated: see `guardSending`. */
  authentication?: PendingAuthentication | null;
}

export type ClientContext = Context<{ Variables: ClientVariables }>;

export interface GuardOptions {
  /**
   * Whether a POST or PATCH has a JSON body. Otherwise the query names the instance. `optional`: the
   * body may be empty.
   */
  readonly hasBody?: boolean | "optional";
  /** Largest body, in bytes. Default: 256 KiB. */
  readonly maxBodyBytes?: number;
  /** Reads the body of a POST or PATCH in another form than JSON. Default: as a JSON object. */
  readonly readBody?: ((context: Context) => Promise<JsonObject>) | undefined;
}

/** A client whose token was valid, with the references that a request may use for its instance. */
export type AuthenticatedClient = Omit<ValidAuthentication, "rateLimit" | "scopes">;

type ValidAuthentication = {
  readonly [Member in keyof Authentication]: Member extends "rateLimit" | "scopes"
    ? Authentication[Member]
    : NonNullable<Authentication[Member]>;
};

/**
 * Requires a valid client token (specification, section 5). One round trip checks the token, loads
 * its instance and counts the request. Authenticates before it reads the body, so that a caller
 * without a token learns nothing from validation errors.
 */
export function createClientTokenGuard(
  database: Database,
  options: GuardOptions = {},
  hashToken: HashToken = createTokenHasher(),
): MiddlewareHandler<{ Variables: ClientVariables }> {
  const hasBody = options.hasBody ?? true;
  return async (context, next) => {
    const tokenHash = await readTokenHash(context, hashToken);
    const client = await authenticateClient(context, database, tokenHash);
    const takesBody = hasBody !== false && ["POST", "PATCH"].includes(context.req.method);
    if (!takesBody) refuseDeclaredBody(context);
    const read = options.readBody ?? (hasBody === "optional" ? readOptionalJsonBody : readJsonBody);
    const body = takesBody ? await read(context, options.maxBodyBytes) : undefined;
    setClient(context, client, body ?? {}, body ?? context.req.query());
    await next();
  };
}

/** The hash of the request's token. @throws {AppError} `missing_client_token`. */
export async function readTokenHash(context: Context, hashToken: HashToken): Promise<string> {
  const token = context.req.header("x-client-token")?.trim();
  if (!token) throw new AppError("missing_client_token");
  return await hashToken(token);
}

/**
 * Authenticates a request and counts it, in one round trip. A call beyond the token's scopes counts like
 * any other that is refused after its authentication.
 *
 * @throws {AppError} `invalid_client_token`, `rate_limited`, `insufficient_scope`.
 */
export async function authenticateClient(
  context: ClientContext,
  database: Database,
  tokenHash: string,
): Promise<AuthenticatedClient> {
  const functionName = context.get("functionName");
  const { tokenId, scopes, instance, instanceVersion, rateLimit } = await database.rpc(
    "authenticate_client",
    { tokenHash, functionName },
  );
  if (tokenId === null || instance === null || instanceVersion === null) {
    throw new AppError("invalid_client_token");
  }
  context.set("owner", instance.instanceId);
  knownCallers.remember(context.req.header("x-client-token"));
  applyRateLimit(context, rateLimit);
  const { method, routePath: route } = context.req;
  const isWide = context.req.query("scope") === "workspace";
  requireScope(scopes, { functionName, method, route, isWide });
  return { tokenId, instance, instanceVersion };
}

/** Passes a client and its request's body to the handler. `holder` names the instance. */
export function setClient(
  context: ClientContext,
  { tokenId, instance: own }: AuthenticatedClient,
  body: JsonObject,
  holder: JsonObject,
): void {
  const { references, ...ownInstance } = own;
  const instance = isNamed(references, holder) ? ownInstance : null;
  context.set("tokenId", tokenId);
  context.set("body", body);
  context.set("instance", instance);
  context.set("isForeign", (late) => !isNamed(references, late));
  context.set("instanceId", instance?.instanceId);
}

/**
 * Returns the instance that the request names. Call it after validation, so that an invalid request
 * gets all its issues first.
 *
 * @throws {AppError} `Instance not found`, for an unknown instance and for one of another tenant
 * alike.
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

/** Whether a request without a reference, or with one of these, means the token's instance. */
function isNamed(references: readonly (string | null)[], holder: JsonObject): boolean {
  const reference = holder["instanceId"];
  if (typeof reference !== "string" || isBlank(reference)) return true;
  const [instanceId] = references;
  return reference.toLowerCase() === instanceId || references.includes(reference);
}
