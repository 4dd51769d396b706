import type { WrittenResponse } from "../database/rpcs/idempotency.ts";

/** An answer that is stored, and given again to a repeated call. */
export interface StoredResponse<Body extends object = object> {
  readonly status: number;
  readonly body: Body;
}

/** A response as the database stores it. */
export function writeResponse({ status, body }: StoredResponse): WrittenResponse {
  return { status, body: JSON.stringify(body) };
}

/** The response as it was given the first time, by an endpoint that answers with `Body`. */
export function readResponse<Body extends object>(
  { status, body }: WrittenResponse,
): StoredResponse<Body> {
  return { status, body: JSON.parse(body) };
}
