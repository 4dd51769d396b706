import type { Database } from "../../shared/database/database.ts";
import { decodeBase64Url, encodeBase64Url } from "../../shared/encoding.ts";
import { AppError } from "../../shared/errors.ts";
import { type QueueCursor, queueCursorSchema } from "./contract.ts";

interface QueuePage {
  readonly items: readonly Record<string, unknown>[];
  readonly total: number;
  readonly next: QueueCursor | null;
}

/** One page of what waits on an instance, in the order it will leave. */
export async function listQueue(
  database: Database,
  query: {
    readonly instanceId: string;
    readonly limit: number;
    readonly cursor?: string | undefined;
  },
): Promise<Record<string, unknown>> {
  const { instanceId, limit, cursor } = query;
  const after = cursor === undefined ? null : readCursor(cursor);
  const page = await database.rpc<QueuePage>("list_message_queue", { instanceId, limit, after });
  return {
    items: page.items,
    total: page.total,
    nextCursor: page.next === null ? null : writeCursor(page.next),
  };
}

function writeCursor(cursor: QueueCursor): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(cursor)));
}

function readCursor(text: string): QueueCursor {
  const bytes = decodeBase64Url(text);
  const parsed = queueCursorSchema.safeParse(bytes === null ? null : parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_request", {
    issues: [{ path: "cursor", message: "must be a nextCursor of an earlier page" }],
  });
}

function parseJson(bytes: BufferSource): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
