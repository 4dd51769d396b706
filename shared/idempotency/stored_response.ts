import type { WrittenResponse } from "../database/rpcs/idempotency.ts";

/** An answer that is kept and given again. */
export interface StoredResponse<Body extends object = object> {
  readonly status: number;
  readonly body: Body;
}

/** A response for keeping. */
export function writeResponse({ status, body }: StoredResponse): WrittenResponse {
  return { status, body: JSON.stringify(body) };
}

/** The response as it was given the first time, by an endpoint that answers with `Body`. */
export function readResponse<Body extends object>(
  { status, body }: WrittenResponse,
): StoredResponse<Body> {
  return { status, body: JSON.parse(body) };
}
