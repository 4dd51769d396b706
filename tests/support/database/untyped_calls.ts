import type { Database } from "../../../shared/database/database.ts";

/**
 * Calls a function that the product never calls (a probe of a test), or one of the product's with a
 * request that its map does not allow. The answer is whatever it is.
 */
export function callUntyped(
  database: Database,
  name: string,
  request: Readonly<Record<string, unknown>> = {},
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the function answers
): Promise<any> {
  // deno-lint-ignore no-explicit-any -- the one place that goes around the map
  return (database as any).rpc(name, request);
}
