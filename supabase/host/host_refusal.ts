/** Refusals of the server itself, in the form of the functions' own (decisions, section 1). */
import { allowsCrossOrigin, exposedHeaders } from "../../shared/http/cross_origin.ts";
import { errorDocsUrl } from "../../shared/runtime/docs_address.ts";
import { contractDate } from "../../shared/model/contract_date.ts";
import { describeUnknownPath } from "./unknown_path.ts";

export interface HostRefusal {
  readonly error: string;
  readonly message: string;
}

const openToPages = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": exposedHeaders.join(),
};

/** @param slug the function that is called; any other name for none, null where no page may read it. */
export function refuse(
  slug: string | null,
  status: number,
  refusal: HostRefusal,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = { success: false, ...refusal, docs: errorDocsUrl(refusal.error) };
  return Response.json(body, {
    status,
    headers: {
      ...(slug !== null && allowsCrossOrigin(slug) ? openToPages : {}),
      "X-Request-Id": crypto.randomUUID(),
      "X-Api-Version": contractDate,
      ...headers,
    },
  });
}

/** Refuses a path that nothing has, in the form of a function's refusal of an unknown path. */
export function pathNotFound(pathname: string, slugs: readonly string[]): Response {
  const message = describeUnknownPath(pathname, slugs);
  return refuse("unknown", 404, { error: "not_found", message });
}

/** Refuses a request whose address is no URL: its `Host` or its target is malformed. */
export function refuseAddress(): Response {
  return refuse("unknown", 400, {
    error: "invalid_request",
    message: "The Host header or the target of the request is malformed.",
  });
}

/** Refuses a call of a function while the functions are not loaded. */
export function refuseWhileStarting(pathname: string): Response {
  return refuse(pathname.split("/")[3] ?? "unknown", 503, {
    error: "service_unavailable",
    message: "The service is starting; try again in a moment.",
  }, { "Retry-After": "1" });
}

/** Answers a defect. */
export function refuseDefect(): Response {
  return refuse("unknown", 500, {
    error: "internal_error",
    message: "Something went wrong on our side; give us the request id.",
  });
}
