/** Refusals of the server itself, in the form of the functions' own (decisions, section 1). */
import { allowsCrossOrigin } from "../../shared/http/cross_origin.ts";
import { describeUnknownPath } from "./unknown_path.ts";

export interface HostRefusal {
  readonly error: string;
  readonly message: string;
}

/** @param slug the function that is called; any other name for none. */
export function refuse(
  slug: string,
  status: number,
  refusal: HostRefusal,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ success: false, ...refusal }, {
    status,
    headers: {
      ...(allowsCrossOrigin(slug) ? { "Access-Control-Allow-Origin": "*" } : {}),
      "X-Request-Id": crypto.randomUUID(),
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

/** Answers a defect. */
export function refuseDefect(): Response {
  return refuse("unknown", 500, {
    error: "internal_error",
    message: "Something went wrong on our side; give us the request id.",
  });
}
