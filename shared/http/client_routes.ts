import { createTokenHasher } from "../crypto/token_hash_cache.ts";
import type { Database } from "../database/database.ts";
import {
  type ClientContext,
  createClientTokenGuard,
  type GuardOptions,
} from "./client_token_guard.ts";
import type { Route } from "./create_app.ts";
import type { HttpMethod } from "../model/http_method.ts";
import type { QueryRules } from "./query_parameters.ts";

/** One operation of a function that clients call with their token. */
export interface ClientRoute<Services> extends QueryRules, GuardOptions {
  readonly method: HttpMethod;
  /** Below the function's own path. */
  readonly path: string;
  readonly handle: (services: Services, context: ClientContext) => Promise<Response>;
}

/** The routes of a table of operations, each behind the guard that authenticates its clients. */
export function createClientRoutes<Services extends { readonly database: Database }>(
  services: Services,
  operations: readonly ClientRoute<Services>[],
): Route[] {
  const hashToken = createTokenHasher();
  return operations.map(({ method, path, query, ignoresParameters, handle, ...options }) => {
    const guard = createClientTokenGuard(services.database, options, hashToken);
    const respond = (context: ClientContext): Promise<Response> => handle(services, context);
    return { method, path, query, ignoresParameters, handlers: [guard, respond] };
  });
}
