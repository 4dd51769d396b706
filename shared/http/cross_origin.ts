/**
 * Which functions a page of another origin may call (decisions, section 1). Those that take a client
 * token, and the public ones, may be called from any origin: no cookie is read anywhere, so a page
 * can do only what its token allows.
 */
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** The project's secret key and the providers' webhooks have no place in a browser. */
const closedFunctions: ReadonlySet<string> = new Set([
  "admin-api",
  "dispatch-queue",
  "provider-webhook",
]);

/** Whether the function of this name sends CORS headers. */
export function allowsCrossOrigin(slug: string): boolean {
  return !closedFunctions.has(slug);
}

/** Answers preflights, and adds the CORS headers to every answer. */
export function createCors(): MiddlewareHandler {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST", "PATCH", "DELETE", "OPTIONS"],
    allowHeaders: [
      ...["X-Client-Token", "Content-Type", "Idempotency-Key", "X-Request-Id"],
      // supabase-js sends these with every call, and a preflight names them all. They are ignored.
      ...["apikey", "authorization", "x-client-info"],
    ],
    exposeHeaders: [
      ...["X-Request-Id", "Idempotent-Replayed", "Retry-After", "Allow"],
      ...["RateLimit", "RateLimit-Policy"],
    ],
    maxAge: 86_400,
  });
}
