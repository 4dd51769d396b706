import type { WrittenResponse } from "../database/rpcs/idempotency.ts";

/** An answer that is kept and given again. */
export interface StoredResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A response for keeping. */
export function writeResponse({ status, body }: StoredResponse): WrittenResponse {
  return { status, body: JSON.stringify(body) };
}

/** The response as it was given the first time. */
export function readResponse({ status, body }: WrittenResponse): StoredResponse {
  return { status, body: JSON.parse(body) };
}
