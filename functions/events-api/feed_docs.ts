import {
  demoContactId,
  demoConversationId,
  demoInstanceId,
  demoPhone,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { feedResponseSchema, readFeedSchema } from "./contract.ts";

const delivered = {
  id: "evt_6f1e0c1d2b3a4958877665544332211f",
  type: "message.delivered",
  timestamp: "2026-11-23T13:00:02.000Z",
  instanceId: demoInstanceId,
  sequence: 10482,
  data: {
    messageId: demoSentMessageId,
    status: "delivered",
    contactId: demoContactId,
    conversationId: demoConversationId,
    providerMessageId: "3EB0C767D097B7C7C030",
    scheduledFor: null,
    heldBy: null,
    createdAt: "2026-11-23T13:00:00.000Z",
    sentAt: "2026-11-23T13:00:01.000Z",
    deliveredAt: "2026-11-23T13:00:02.000Z",
    readAt: null,
    failedAt: null,
    attempts: 1,
    lastError: null,
    contact: { contactId: demoContactId, phone: demoPhone, name: "Maria" },
  },
};

/** The operations of the feed. */
export const feedOperations: readonly Operation[] = [{
  method: "GET",
  path: "/events",
  operationId: "listEvents",
  tag: "Events",
  summary: "Read the feed of events",
  description:
    "What became true of the instance, oldest first. A reader that passes each `nextCursor` as the next `after` sees every event once. Without `after` the feed begins now, with an empty page and its cursor. Events are kept for 30 days.",
  access: "clientToken",
  query: readFeedSchema,
  success: { description: "A page of the feed.", schema: feedResponseSchema },
  errors: ["cursor_expired"],
  fields: {
    after: "`nextCursor` of the previous page; `oldest` for the oldest event; omit it for now.",
    types: "Types of events to return, separated by commas; all when omitted.",
    waitSeconds:
      "Seconds to wait for an event when there is none yet. At most 10 calls of a token wait at a time: a further one that finds no event is 429 `rate_limited` with `Retry-After`.",
    items: "Events, oldest first.",
    "items.id": "The event's id: the same whenever and however it is told.",
    "items.type": "Type of the event.",
    "items.timestamp": "Time at which it became true.",
    "items.sequence":
      "Rises in the order of the feed; unique within the instance. Numbers may be missing.",
    "items.data":
      "The state at that moment. `isTruncated` is true where a text was cut because the event exceeded 20,000 bytes.",
    nextCursor: "`after` of the next page; also returned with an empty page.",
    hasMore: "Whether there is more to read at once.",
  },
  examples: [{
    name: "delivered",
    summary: "A message was delivered",
    request: { after: "oldest", types: "message.delivered", limit: 100 },
    response: {
      success: true,
      items: [delivered],
      nextCursor: "AAAAAAAAKPI3mGq1zVbWkS9x0tTq",
      hasMore: false,
    },
  }],
}];
