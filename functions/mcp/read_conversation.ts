import { findRecipientIssues } from "../../shared/model/request_fields.ts";
import { type JsonObject, type McpSession, ToolRefusal } from "./session.ts";

/** Days of history that are read back: the longest period of the API. */
const daysBack = 365;
/** Messages that are read to find the place of a cursor: the most that the API answers. */
const mostRead = 1_000;

interface Cursor {
  /** Day of the oldest message shown, in the instance's zone. */
  readonly day: string;
  readonly messageId: string;
}

/** The newest messages with a contact, before the cursor where there is one. */
export async function readConversation(
  { limit, cursor, ...recipient }: JsonObject,
  session: McpSession,
): Promise<JsonObject> {
  const issues = findRecipientIssues(recipient);
  if (issues.length > 0) throw new ToolRefusal({ error: "invalid_request", issues });
  const size = Number(limit);
  const before = cursor === undefined ? null : parseCursor(String(cursor));
  const end = before?.day ?? dayOf(new Date(), session.timeZone);
  const start = new Date(Date.parse(end) - daysBack * 86_400_000).toISOString().slice(0, 10);
  const { messages, hasMore } = await session.call({
    method: "GET",
    path: "messages-context",
    query: {
      ...recipient,
      ...{ instanceId: session.instanceId, start, end, format: "raw", attachments: false },
      limit: before === null ? size : mostRead,
    },
  }) as { messages: JsonObject[]; hasMore: boolean };
  const place = messages.findIndex(({ messageId }) => messageId === before?.messageId);
  const older = before === null ? messages : messages.slice(0, Math.max(0, place));
  const items = older.slice(-size);
  const [oldest] = items;
  const isMore = older.length > items.length || hasMore;
  return {
    items: items.map(describe),
    nextCursor: oldest === undefined || !isMore ? null : writeCursor({
      day: dayOf(new Date(String(oldest["sentAt"])), session.timeZone),
      messageId: String(oldest["messageId"]),
    }),
  };
}

/** What says who said what, and when; the rest is in `get_message`. */
function describe(message: JsonObject): JsonObject {
  const shown = Object.entries(message).filter(([name, value]) =>
    value !== null && value !== undefined &&
    ![
      "metadata",
      "attempts",
      "conversationId",
      "providerMessageId",
      "createdAt",
      "purpose",
      "isGroup",
    ]
      .includes(name)
  );
  return Object.fromEntries(shown);
}

function dayOf(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(instant);
}

function writeCursor({ day, messageId }: Cursor): string {
  return `${day}_${messageId}`;
}

function parseCursor(text: string): Cursor {
  const [, day, messageId] = /^(\d{4}-\d\d-\d\d)_([0-9a-f-]{36})$/.exec(text) ?? [];
  if (day === undefined || messageId === undefined) {
    const issues = [{ path: "cursor", message: "must be the nextCursor of an answer" }];
    throw new ToolRefusal({ error: "invalid_request", issues });
  }
  return { day, messageId };
}
