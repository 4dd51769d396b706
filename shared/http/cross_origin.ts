/**
 * Which functions a page of another origin may call (decisions, section 1). Public functions and
 * those with a client token allow any origin. No function reads cookies, so a page can do only what
 * its token permits.
 */
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/**
 * Functions for the project's secret key and for providers' webhooks. Browsers have no need to call
 * them.
 */
const closedFunctions: ReadonlySet<string> = new Set([
  "admin-api",
  "dispatch-queue",
  "metrics",
  "provider-webhook",
]);

/** Whether the function of this name sends CORS headers. */
export function allowsCrossOrigin(slug: string): boolean {
  return !closedFunctions.has(slug);
}

/** Response headers that a page may read. */
export const exposedHeaders: readonly string[] = [
  ...["X-Request-Id", "Idempotent-Replayed", "Retry-After", "Allow"],
  ...["RateLimit", "RateLimit-Policy", "X-Api-Version"],
];

/** Answers preflights, and adds the CORS headers to every response. */
export function createCors(): MiddlewareHandler {
  const answerPreflight = createPreflight();
  const exposed = exposedHeaders.join(",");
  return async (context, next) => {
    if (context.req.method === "OPTIONS") return await answerPreflight(context, next);
    // Hono's own middleware sets these on `context.res`, which creates a response before the
    // handler does. Hono then copies the handler's response into it, its body as a stream: a tenth
    // of a request's processor time.
    context.header("Access-Control-Allow-Origin", "*");
    context.header("Access-Control-Expose-Headers", exposed);
    await next();
  };
}

function createPreflight(): MiddlewareHandler {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST", "PATCH", "DELETE", "OPTIONS"],
    allowHeaders: [
      ...["X-Client-Token", "Content-Type", "Idempotency-Key", "X-Request-Id"],
      // supabase-js sends these with every call, so preflights ask for them. The service ignores
      // them.
      ...["apikey", "authorization", "x-client-info"],
    ],
    exposeHeaders: [...exposedHeaders],
    maxAge: 86_400,
  });
}
