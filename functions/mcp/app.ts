import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Context, Hono } from "hono";
import { createTokenHasher } from "../../shared/crypto/token_hash_cache.ts";
import type { Database } from "../../shared/database/database.ts";
import { AppError, type ErrorCode } from "../../shared/model/errors.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { type JsonObject, readJsonBody } from "../../shared/http/json_body.ts";
import { isPlainObject } from "../../shared/model/bounded_fields.ts";
import { isBlank } from "../../shared/model/visible_text.ts";
import { knownCallers } from "../../shared/http/known_callers.ts";
import { applyRateLimit } from "../../shared/http/rate_limit.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { createMcpServer } from "./server.ts";
import { type CallFunction, type McpSession, openSession } from "./session.ts";
import { cutLongError } from "./write_answer.ts";

export interface McpServices {
  readonly database: Database;
  /** Makes the calls of the tools: paths begin with a function's name. */
  readonly callFunction: CallFunction;
  readonly log: Log;
}

/** /functions/v1/mcp: tools for AI clients, by the Model Context Protocol over HTTP, without sessions. */
export function createMcpApp(services: McpServices): Hono {
  const hashToken = createTokenHasher();

  const handle = async (context: Context): Promise<Response> => {
    const token = readToken(context);
    const authentication = await services.database.rpc("authenticate_client", {
      tokenHash: await hashToken(token),
      functionName: "mcp",
    });
    if (authentication.tokenId === null) throw refuseToken("invalid_client_token");
    knownCallers.remember(
      context.req.header("x-client-token") ?? context.req.header("authorization"),
    );
    applyRateLimit(context, authentication.rateLimit);
    const session = openSession(authentication, { token, ...services });
    context.set("instanceId", session.instanceId);
    const body = await readJsonBody(context);
    return await exchange(context, body, session, services.log);
  };

  return createApp({
    slug: "mcp",
    log: services.log,
    database: services.database,
    routes: [{ method: "POST", path: "/", handlers: [handle] }],
  });
}

/** Clients send headers of their own, or a bearer token alone. */
function readToken(context: Context): string {
  const own = context.req.header("x-client-token")?.trim();
  if (own) return own;
  const [, bearer] = /^Bearer\s+(\S+)\s*$/i.exec(context.req.header("authorization") ?? "") ?? [];
  if (bearer === undefined) throw refuseToken("missing_client_token");
  return bearer;
}

function refuseToken(code: ErrorCode): AppError {
  return new AppError(code, { headers: { "WWW-Authenticate": "Bearer" } });
}

/** One message and its answer. Streams are for servers that speak first, which this one never does. */
async function exchange(
  context: Context,
  body: JsonObject,
  session: McpSession,
  log: Log,
): Promise<Response> {
  if (body["method"] === "subscriptions/listen") {
    const error = { code: -32601, message: "Method not found" };
    return context.json({ jsonrpc: "2.0", id: body["id"] ?? null, error });
  }
  const handler = createMcpHandler(() => createMcpServer(session, log));
  const headers = new Headers(context.req.raw.headers);
  headers.set("accept", "application/json, text/event-stream");
  const request = new Request(context.req.url, { method: "POST", headers });
  const response = await handler.fetch(request, { parsedBody: dropEmptyArguments(body) });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("text/event-stream")
    ? lastMessage(text)
    : text;
  if (json === "") return context.body(null, response.status as 202);
  return context.body(cutLongError(json), response.status as 200, {
    "content-type": "application/json",
  });
}

/** Models write null and empty texts for arguments that they have no value for, as automation tools do. */
function dropEmptyArguments(body: JsonObject): JsonObject {
  const params = body["params"] as JsonObject;
  if (body["method"] !== "tools/call" || !isPlainObject(params)) return body;
  const given = params["arguments"];
  if (!isPlainObject(given)) return body;
  const args = Object.entries(given).filter(([, value]) =>
    value !== null && !(typeof value === "string" && isBlank(value))
  );
  return { ...body, params: { ...params, arguments: Object.fromEntries(args) } };
}

/** The answer in a stream that has ended. */
function lastMessage(stream: string): string {
  const messages = stream.split("\n").filter((line) => line.startsWith("data: {"));
  return messages.at(-1)?.slice("data: ".length) ?? "";
}
