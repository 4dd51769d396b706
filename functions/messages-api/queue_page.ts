import type { Database } from "../../shared/database/database.ts";
import { readCursor, writeCursor } from "../../shared/http/cursor.ts";
import { queueCursorSchema, type QueueResponse } from "./contract.ts";

/** Returns one page of an instance's waiting messages, in sending order. */
export async function listQueue(
  database: Database,
  query: {
    readonly instanceId: string;
    readonly limit: number;
    readonly cursor?: string | undefined;
  },
): Promise<Omit<QueueResponse, "success">> {
  const { instanceId, limit, cursor } = query;
  const after = cursor === undefined ? null : readCursor(queueCursorSchema, cursor);
  const page = await database.rpc("list_message_queue", { instanceId, limit, after });
  return {
    items: page.items,
    total: page.total,
    protection: page.protection,
    nextCursor: page.next === null ? null : writeCursor(page.next),
  };
}
