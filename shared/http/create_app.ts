import { type Context, Hono, type MiddlewareHandler } from "hono";
import { requestId } from "hono/request-id";
import type { Database } from "../database/database.ts";
import {
  type Deprecation,
  deprecations as contractDeprecations,
  findDeprecations,
} from "../model/deprecations.ts";
import { AppError } from "../model/errors.ts";
import { contractDate } from "../model/contract_date.ts";
import type { Log } from "../runtime/log.ts";
import { parseTraceparent, runInTrace } from "../runtime/trace_context.ts";
import type { AppVariables } from "./app_variables.ts";
import { allowsCrossOrigin, createCors } from "./cross_origin.ts";
import { createDeprecationNotice } from "./deprecation_notice.ts";
import { respondToError } from "./error_response.ts";
import type { HttpMethod } from "../model/http_method.ts";
import { checkParameters, type QueryRules } from "./query_parameters.ts";

// deno-lint-ignore no-explicit-any -- handlers bring their own variables; the app needs none of them
type AnyHandler = MiddlewareHandler<any>;

/** One operation. The last handler responds; those before it are guards. */
export interface Route extends QueryRules {
  readonly method: HttpMethod;
  /** Below the function's own path; `/` is the function itself. */
  readonly path: string;
  readonly handlers: readonly [AnyHandler, ...AnyHandler[]];
}

export interface AppOptions {
  /** The function's name. The platform's request paths begin with it. */
  readonly slug: string;
  readonly routes: readonly Route[];
  readonly log: Log;
  /** Where calls of what is to go are counted. */
  readonly database?: Database;
  /** What is to go. Default: the contract's list. */
  readonly deprecations?: readonly Deprecation[];
}

/**
 * Creates an app with the HTTP conventions that every function follows (decisions, section 1):
 * request id, `traceparent`, CORS for functions that browsers may call, 404 and 405 with `Allow`,
 * unknown query parameters,
 * errors as JSON, the contract's date in `X-Api-Version`, one log line per request.
 */
export function createApp(
  { slug, routes, log, database, deprecations = contractDeprecations }: AppOptions,
): Hono {
  const app = new Hono({ strict: false });
  app.use(continueTrace);
  app.use(requestId({ limitLength: 128 }));
  app.use(logRequest(slug, log));
  if (allowsCrossOrigin(slug)) app.use(createCors());
  const own = app.basePath(`/${slug}`);
  // Fixed paths first, with all their methods: they are no ids of the others.
  for (const hasParameters of [false, true]) {
    const listed = routes.filter(({ path }) => path.includes(":") === hasParameters);
    addRoutes(own, listed, (route) => {
      const entries = findDeprecations(deprecations, slug, route);
      return entries.length === 0 ? [] : [createDeprecationNotice(entries, { database, log })];
    });
  }
  const message = describePaths(slug, routes);
  app.notFound((context) => respondToError(new AppError("not_found", { message }), context, log));
  app.onError((error, context) => respondToError(error, context, log));
  return app;
}

/** @param notices what an operation tells of before its guards. */
function addRoutes(
  own: Hono,
  routes: readonly Route[],
  notices: (route: Route) => readonly MiddlewareHandler[],
): void {
  for (const route of routes) {
    const { method, path, handlers } = route;
    const [guards, respond] = [handlers.slice(0, -1), handlers.slice(-1)];
    own.on(method, [path], ...notices(route), ...guards, checkParameters(route), ...respond);
  }
  for (const [path, allow] of listAllowed(routes)) {
    // The CORS middleware answers OPTIONS before this route. Without it a preflight gets no
    // permission.
    own.options(path, (context) => context.body(null, 204, { Allow: allow }));
    own.all(path, () => {
      throw new AppError("method_not_allowed", { headers: { Allow: allow } });
    });
  }
}

/** What a 404 says of a path that the function does not have: where the paths that it has begin. */
function describePaths(slug: string, routes: readonly Route[]): string {
  const beginnings = new Set(routes.map(({ path }) => path === "/" ? "" : path.split("/", 2)[1]));
  const paths = [...beginnings].sort()
    .map((part) => `/functions/v1/${slug}${part === "" ? "" : `/${part}`}`);
  return `This path does not exist. ${slug} has ${paths.join(", ")}.`;
}

function listAllowed(routes: readonly Route[]): Map<string, string> {
  const methodsByPath = new Map<string, string[]>();
  for (const { method, path } of routes) {
    const methods = methodsByPath.get(path) ?? ["OPTIONS"];
    methodsByPath.set(path, [...methods, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return new Map([...methodsByPath].map(([path, methods]) => [path, methods.sort().join(", ")]));
}

/** An invalid `traceparent` is ignored, as W3C Trace Context requires. */
const continueTrace: MiddlewareHandler = (context, next) => {
  const traceparent = parseTraceparent(context.req.header("traceparent"));
  return traceparent === null ? next() : runInTrace(traceparent, next);
};

/**
 * Names the contract's date in every answer. Logs the route's pattern, never the path, because a path may
 * hold a secret.
 */
function logRequest(slug: string, log: Log): MiddlewareHandler<{ Variables: AppVariables }> {
  return async (context: Context<{ Variables: AppVariables }>, next) => {
    const startedAt = performance.now();
    context.set("functionName", slug);
    context.header("X-Api-Version", contractDate);
    await next();
    log.info("request_handled", {
      requestId: context.get("requestId"),
      function: slug,
      method: context.req.method,
      route: context.req.routePath,
      status: context.res.status,
      errorCode: context.get("errorCode"),
      instanceId: context.get("instanceId"),
      durationMs: Math.round(performance.now() - startedAt),
    });
  };
}
