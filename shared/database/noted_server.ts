import type { PromotionPolicy } from "../runtime/config.ts";
import { consoleLog, type Log } from "../runtime/log.ts";
import type { Database } from "./database.ts";
import type { NotedServer } from "./rpcs/availability.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";

/** What the dispatcher takes to send it. */
const claims: ReadonlySet<RpcName> = new Set([
  "claim_due_messages",
  "claim_message_group",
  "claim_outbox",
]);
/** How old a note may be when something is claimed. */
const freshMs = 5_000;

/** Tells the log that the database is on another server, where this call was the one to note it. */
export function tellPromotion(noted: NotedServer, log: Log): void {
  if (noted.state === "known") return;
  const { timeline, lacksCommits, replayedAt, held } = noted;
  if (lacksCommits) log.error("database_promoted", { timeline, replayedAt, instances: held });
  else log.info("database_followed", { timeline });
}

/**
 * Notes the server before claims. Behind the Data API the sessions are not ours, and nothing tells of a new one;
 * elsewhere it notices that commits wait for a standby now, or do so no more.
 */
export function noteServerBeforeClaims(database: Database, promotion: PromotionPolicy): Database {
  let notedAt = -Infinity;
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      if (claims.has(name) && performance.now() - notedAt > freshMs) {
        tellPromotion(await database.rpc("note_server", { promotion, renews: true }), consoleLog);
        notedAt = performance.now();
      }
      return await database.rpc(name, request);
    },
    close: () => database.close(),
  };
}
