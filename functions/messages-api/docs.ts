import * as z from "zod";
import {
  demoContactId,
  demoConversationId,
  demoFailedMessageId,
  demoInstanceId,
  demoInstanceRef,
  demoPhone,
  demoQueuedMessageId,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { instanceIdSchema } from "../../shared/model/request_fields.ts";
import {
  cancelMessagesResponseSchema,
  cancelMessagesSchema,
  healthResponseSchema,
  healthSchema,
  listMessagesSchema,
  listQueueSchema,
  messageResponseSchema,
  messagesResponseSchema,
  moveMessageSchema,
  queueResponseSchema,
} from "./contract.ts";

/** Optional, because the token belongs to one instance. */
const instanceQuery = z.object({ instanceId: instanceIdSchema.optional() });

const messageOf = (messageId: string): Operation["pathParameters"] => ({
  id: { description: "`messageId` of the message.", example: messageId },
});

const waiting = {
  success: true,
  messageId: demoQueuedMessageId,
  direction: "outbound",
  status: "queued",
  messageType: "text",
  message: "Your order has been dispatched",
  cardId: "order-4711",
  batchId: null,
  metadata: { orderId: "4711" },
  mediaId: null,
  mediaStatus: null,
  mediaUrl: null,
  contactId: demoContactId,
  conversationId: demoConversationId,
  providerMessageId: null,
  scheduledFor: "2026-11-23T10:01:00.000-03:00",
  heldBy: "interval",
  createdAt: "2026-11-23T10:00:00.000-03:00",
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  attempts: 0,
  lastError: null,
};

const read = {
  ...waiting,
  messageId: demoSentMessageId,
  status: "read",
  providerMessageId: "3EB0C767D097B7C7C030",
  scheduledFor: null,
  heldBy: null,
  sentAt: "2026-11-23T10:00:01.000-03:00",
  deliveredAt: "2026-11-23T10:00:02.000-03:00",
  readAt: "2026-11-23T10:04:10.000-03:00",
  attempts: 1,
};

const recordFields = {
  metadata: "The `metadata` of the call that sent it; empty when it had none.",
};

const dayFields = (part: string): Readonly<Record<string, string>> => ({
  [part]: "The limits of the instance's present day; null where it has no `protection`.",
  [`${part}.day`]: "The instance's own day.",
  [`${part}.limit`]: "Messages that may leave on this day; null for no limit.",
  [`${part}.limitedBy`]: "What sets the limit; null for none.",
  [`${part}.sent`]: "Messages sent on this day, immediate ones too.",
  [`${part}.waiting`]: "Queued messages whose turn comes on this day.",
  [`${part}.newContacts`]:
    "The same of contacts that are written to for the first time; null for no limit.",
  [`${part}.newContacts.limit`]: "New contacts a day.",
  [`${part}.newContacts.sent`]: "New contacts that were written to on this day.",
  [`${part}.newContacts.waiting`]: "New contacts whose turn comes on this day.",
});

/** The operations of messages-api (decisions, section 9). */
export const operations: readonly Operation[] = [
  {
    method: "GET",
    path: "/messages/:id",
    operationId: "getMessage",
    tag: "Messages",
    summary: "Read a message",
    description:
      "A message that this service has sent or will send, or one that the contact has sent (`direction: inbound`, `status: received`).",
    access: "clientToken",
    pathParameters: messageOf(demoSentMessageId),
    query: instanceQuery,
    success: {
      description: "The message.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: ["message_not_found"],
    fields: recordFields,
    examples: [{ name: "read", summary: "A message that was read", response: read }],
  },
  {
    method: "GET",
    path: "/messages",
    operationId: "listMessages",
    tag: "Messages",
    summary: "List messages",
    description:
      "Messages sent and received, in the order in which they were stored. All filters can be combined. The id of a merged contact stands for the contact that it was merged into. A page reads a bounded number of messages: where few of many match, it can have fewer items than `limit`, even none, before the last page. Read on until `nextCursor` is null.",
    access: "clientToken",
    query: listMessagesSchema,
    success: { description: "A page of messages.", schema: messagesResponseSchema },
    errors: ["contact_not_found"],
    fields: {
      since: "Only messages stored at this instant or later.",
      until: "Only messages stored at this instant or earlier.",
    },
    examples: [{
      name: "read_of_a_contact",
      summary: "Messages that a contact has read",
      request: { contactId: demoContactId, direction: "outbound" },
      response: {
        success: true,
        items: [read].map(({ success: _, ...item }) => item),
        nextCursor: null,
      },
    }],
  },
  {
    method: "PATCH",
    path: "/messages/:id",
    operationId: "moveMessage",
    tag: "Messages",
    summary: "Move a waiting message to another time",
    description:
      "Only a message that still waits can be moved. A message of the paced queue gets the slot that it would get if it were queued at that time; its former slot is given back. `expiresAt` stays.",
    access: "clientToken",
    pathParameters: messageOf(demoQueuedMessageId),
    body: moveMessageSchema,
    success: {
      description: "The message, with its new time.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: ["message_not_found", "message_not_movable", "send_window_never_opens"],
    fields: recordFields,
    examples: [{
      name: "moved",
      summary: "A message that leaves on another morning",
      request: { sendAt: "2026-11-25T09:00:00-03:00" },
      response: { ...waiting, scheduledFor: "2026-11-25T09:00:00.000-03:00", heldBy: "delay" },
    }],
  },
  {
    method: "DELETE",
    path: "/messages/:id",
    operationId: "cancelMessage",
    tag: "Messages",
    summary: "Cancel a queued message",
    description:
      "Only a queued message can be canceled. A message that is already being sent is not stopped. Canceling it again returns the same response.",
    access: "clientToken",
    pathParameters: messageOf(demoQueuedMessageId),
    query: instanceQuery,
    success: {
      description: "The canceled message.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: ["message_not_found", "message_not_cancelable"],
    fields: recordFields,
    examples: [{
      name: "canceled",
      summary: "A canceled message",
      response: { ...waiting, status: "canceled" },
    }],
  },
  {
    method: "DELETE",
    path: "/messages",
    operationId: "cancelMessages",
    tag: "Messages",
    summary: "Cancel all messages under a key",
    description:
      "Cancels all messages that still wait under a `cancelKey`, such as the reminders of an appointment that was moved. What is already being sent is not stopped. A key under which nothing waits cancels 0.",
    access: "clientToken",
    query: cancelMessagesSchema,
    success: { description: "How many were canceled.", schema: cancelMessagesResponseSchema },
    errors: [],
    fields: { canceled: "Number of messages that were canceled." },
    examples: [{
      name: "appointment_moved",
      summary: "Two reminders of one appointment",
      request: { cancelKey: "appointment-4711" },
      response: { success: true, canceled: 2 },
    }],
  },
  {
    method: "POST",
    path: "/messages/:id/retry",
    operationId: "retryMessage",
    tag: "Messages",
    summary: "Retry a failed or unconfirmed message",
    description:
      "Queues the message again under the same `messageId`. An `unconfirmed` message may have reached the contact, so a retry can deliver it twice. The request has no body.",
    access: "clientToken",
    pathParameters: messageOf(demoFailedMessageId),
    query: instanceQuery,
    isIdempotent: true,
    success: {
      description: "The queued message.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: [
      "message_not_found",
      "contact_blocked",
      "contact_opted_out",
      "message_not_retriable",
      "send_window_never_opens",
    ],
    fields: recordFields,
    examples: [{
      name: "waiting_again",
      summary: "A failed message, queued again",
      response: { ...waiting, messageId: demoFailedMessageId, heldBy: null, attempts: 1 },
    }],
  },
  {
    method: "GET",
    path: "/queue",
    operationId: "listQueue",
    tag: "Messages",
    summary: "List queued messages",
    description:
      "Pages of the instance's queued messages, in the order in which they will be sent.",
    access: "clientToken",
    query: listQueueSchema,
    success: {
      description: "A page of the queue.",
      schema: queueResponseSchema,
    },
    errors: [],
    fields: {
      items: "Queued messages in sending order.",
      "items.scheduledFor": "Earliest time of sending, in the instance's time zone.",
      total: "Number of the instance's queued messages, on all pages.",
      ...dayFields("protection"),
    },
    examples: [{
      name: "one_waiting",
      summary: "One queued message",
      request: { instanceId: demoInstanceRef, limit: 50 },
      response: {
        success: true,
        items: [{
          messageId: demoQueuedMessageId,
          phone: demoPhone,
          messageType: "text",
          scheduledFor: "2026-11-23T10:01:00.000-03:00",
          heldBy: "interval",
          position: 1,
        }],
        total: 1,
        protection: null,
        nextCursor: null,
      },
    }],
  },
  {
    method: "GET",
    path: "/health",
    operationId: "getInstanceHealth",
    tag: "Messages",
    summary: "Check whether messages are being sent",
    description:
      "The first thing to check when an instance's messages are not sent. `late`: a due message is more than one minute overdue. `held`: the provider rejects the whole instance or an operator holds it, so the queue is on hold. `disconnected`: it has lost its connection to the channel; the queue goes on when it is back.",
    access: "clientToken",
    query: healthSchema,
    success: { description: "State of the instance's queue.", schema: healthResponseSchema },
    errors: [],
    fields: {
      status: "`ok`, `late`, `held` or `disconnected`.",
      oldestDueAt: "Time since which the oldest due message has been due; null when none is due.",
      oldestDueSeconds: "The same as an age in seconds.",
      nextDueAt: "Time at which the next paced message is due; null when there is none.",
      queueDepth: "Number of queued messages, due or not.",
      inFlight: "Number of messages that are being sent.",
      unconfirmed: "Number of messages whose outcome is unknown.",
      isWindowOpen: "Whether the send window is open now.",
      heldUntil:
        "End of the hold after the provider rejected the whole instance; null when there is none.",
      holdReason:
        "Why it is held: what the operator gave, `suspect` (nothing is confirmed any more) or `provider_refused`.",
      connection: "What the provider has told about the connection.",
      "connection.state": "`unknown` while the provider has told nothing.",
      "connection.since": "Since when it is lost.",
      "connection.until": "End of the channel's restriction; null where none is known.",
      "connection.reason": "The provider's words.",
      channelLimit:
        "The number's limit as the official channel names it; null while none is known.",
      ...dayFields("protection"),
      lastSuccessAt: "Time at which a message was last sent.",
      lastFailure: "The last failed or unconfirmed message; null when there is none.",
      "lastFailure.at": "Time of the failure.",
      "lastFailure.status":
        "`failed` or `unconfirmed`, as it was then; later events may have changed the message's status.",
    },
    examples: [{
      name: "one_late",
      summary: "No dispatcher runs: a message is five minutes late",
      request: { instanceId: demoInstanceRef },
      response: {
        success: true,
        instanceId: demoInstanceId,
        status: "late",
        oldestDueAt: "2026-11-23T10:00:00.000-03:00",
        oldestDueSeconds: 300,
        nextDueAt: "2026-11-23T10:00:00.000-03:00",
        queueDepth: 12,
        inFlight: 0,
        unconfirmed: 0,
        isWindowOpen: true,
        heldUntil: null,
        holdReason: null,
        connection: { state: "connected", since: null, until: null, reason: null },
        channelLimit: null,
        protection: null,
        lastSuccessAt: "2026-11-23T09:58:41.120-03:00",
        lastFailure: {
          at: "2026-11-20T17:12:03.000-03:00",
          status: "failed",
          code: "131026",
          message: "Message undeliverable",
        },
      },
    }],
  },
];
