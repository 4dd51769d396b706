import { AppError } from "../errors.ts";
import type { Database } from "./database.ts";

/** The first call of every request that others pay for: refusing it costs the caller nothing. */
const beginnings: ReadonlySet<string> = new Set([
  "authenticate_client",
  "find_webhook_instance",
  "record_provider_events",
]);

/** Some tenths of a second of work, and far above any usual burst. */
const maxCallsUnderWay = 500;

/**
 * A database with a bounded line of waiting calls: while it is full no new request is begun, and its
 * caller hears `service_unavailable` at once instead of waiting for what it will have given up.
 * Calls of requests that were begun are always let through: what was accepted is finished.
 */
export function boundDatabase(database: Database, maxCalls = maxCallsUnderWay): Database {
  let underWay = 0;
  return {
    async rpc<Result>(name: string, request: Readonly<Record<string, unknown>>): Promise<Result> {
      if (underWay >= maxCalls && beginnings.has(name)) {
        throw new AppError("service_unavailable", {
          message: "The service has more requests than it can take; try again in a moment.",
          headers: { "Retry-After": "1" },
        });
      }
      underWay += 1;
      try {
        return await database.rpc<Result>(name, request);
      } finally {
        underWay -= 1;
      }
    },
    close: () => database.close(),
  };
}
