import type { Route } from "../../shared/http/create_app.ts";
import type { HttpMethod } from "../../shared/model/http_method.ts";
import type { QueryRules } from "../../shared/http/query_parameters.ts";
import type { AdminContext } from "./http_exchange.ts";

/** One operation of admin-api. */
export interface AdminOperation<Services> extends QueryRules {
  readonly method: HttpMethod;
  /** Below the function's own path. */
  readonly path: string;
  readonly handle: (services: Services, context: AdminContext) => Promise<Response>;
}

/** The routes of a table of operations. */
export function createAdminRoutes<Services>(
  services: Services,
  operations: readonly AdminOperation<Services>[],
): Route[] {
  return operations.map(({ handle, ...route }) => {
    const respond = (context: AdminContext): Promise<Response> => handle(services, context);
    return { ...route, handlers: [respond] };
  });
}
