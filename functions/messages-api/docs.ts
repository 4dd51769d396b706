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
  healthResponseSchema,
  healthSchema,
  listQueueSchema,
  messageResponseSchema,
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
  status: "queued",
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

/** The operations of messages-api (decisions, section 9). */
export const operations: readonly Operation[] = [
  {
    method: "GET",
    path: "/messages/:id",
    operationId: "getMessage",
    tag: "Messages",
    summary: "Read the state of a message",
    description: "One message that this service sent or is to send.",
    access: "clientToken",
    pathParameters: messageOf(demoSentMessageId),
    query: instanceQuery,
    success: {
      description: "The message's state.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: ["message_not_found"],
    examples: [{ name: "read", summary: "A message that was read", response: read }],
  },
  {
    method: "DELETE",
    path: "/messages/:id",
    operationId: "cancelMessage",
    tag: "Messages",
    summary: "Cancel a message that still waits",
    description:
      "Only what is still queued can be canceled; a message that a worker has in its hands goes out. Canceling twice answers the same.",
    access: "clientToken",
    pathParameters: messageOf(demoQueuedMessageId),
    query: instanceQuery,
    success: {
      description: "The canceled message.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: ["message_not_found", "message_not_cancelable"],
    examples: [{
      name: "canceled",
      summary: "A message taken out of the queue",
      response: { ...waiting, status: "canceled" },
    }],
  },
  {
    method: "POST",
    path: "/messages/:id/retry",
    operationId: "retryMessage",
    tag: "Messages",
    summary: "Send a failed or unconfirmed message again",
    description:
      "Puts the message back to where it waits to be sent, under the same `messageId`. An `unconfirmed` message may have reached the contact: sending it again may double it. The request has no body.",
    access: "clientToken",
    pathParameters: messageOf(demoFailedMessageId),
    query: instanceQuery,
    isIdempotent: true,
    success: {
      description: "The message, waiting again.",
      schema: messageResponseSchema,
      schemaName: "MessageRecord",
    },
    errors: [
      "message_not_found",
      "contact_blocked",
      "message_not_retriable",
      "send_window_never_opens",
    ],
    examples: [{
      name: "waiting_again",
      summary: "A failed message, waiting again",
      response: { ...waiting, messageId: demoFailedMessageId, heldBy: null, attempts: 1 },
    }],
  },
  {
    method: "GET",
    path: "/queue",
    operationId: "listQueue",
    tag: "Messages",
    summary: "List what waits in the queue",
    description:
      "Messages that wait on the instance, in the order in which they will leave, page by page.",
    access: "clientToken",
    query: listQueueSchema,
    success: {
      description: "A page of the queue.",
      schema: queueResponseSchema,
    },
    errors: [],
    fields: {
      items: "Waiting messages, the next to leave first.",
      "items.scheduledFor": "When the message may leave, in the instance's time zone.",
      total: "Messages that wait on the instance, on all pages.",
    },
    examples: [{
      name: "one_waiting",
      summary: "One message waits",
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
        nextCursor: null,
      },
    }],
  },
  {
    method: "GET",
    path: "/health",
    operationId: "getInstanceHealth",
    tag: "Messages",
    summary: "See whether messages go out",
    description:
      "What to look at first when an instance's messages do not leave. `late`: something that may leave is more than a minute overdue. `held`: the provider refuses the whole instance, and the queue waits.",
    access: "clientToken",
    query: healthSchema,
    success: { description: "How the instance's queue stands.", schema: healthResponseSchema },
    errors: [],
    fields: {
      status: "`ok`, `late` or `held`.",
      oldestDueAt: "Since when the oldest message waits that may leave; null when none does.",
      oldestDueSeconds: "The same as an age, in seconds.",
      nextDueAt: "When the paced queue is due next; null when it is empty.",
      queueDepth: "Messages that wait, due or not.",
      inFlight: "Messages that a worker has in its hands.",
      unconfirmed: "Messages of which nobody knows whether they left.",
      isWindowOpen: "Whether the paced queue may send now.",
      heldUntil: "Until when the queue waits because the provider refused the whole instance.",
      lastSuccessAt: "When a message last left.",
      lastFailure: "The last message that failed or stayed unconfirmed; null for none.",
      "lastFailure.at": "When it failed.",
      "lastFailure.status": "`failed`, or `unconfirmed`; later events may have moved it on.",
    },
    examples: [{
      name: "one_late",
      summary: "Nobody dispatches: a message is five minutes late",
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
