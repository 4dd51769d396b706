import {
  demoContactId,
  demoInstanceId,
  demoQueuedMessageId,
} from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import {
  holdQueueResponseSchema,
  holdQueueSchema,
  listHoldsSchema,
  mayHaveLeftResponseSchema,
  mayHaveLeftSchema,
  queueHoldsResponseSchema,
  releaseQueueResponseSchema,
  releaseQueueSchema,
  settledResponseSchema,
  settleMayHaveLeftSchema,
} from "./queue.ts";
import { adminOperation, exampleInstant, ofItems } from "./resource_docs.ts";

const instanceMeaning = "The instance; every instance when absent.";

const holdFields = {
  instanceId: instanceMeaning,
  until: "End of the hold. Absent: it lasts until it is released.",
  reason: "Note for the people who find the hold.",
  instances: "Number of instances that the call held or released.",
  inFlight: "Number of messages that were claimed before the hold and may still leave.",
  heldUntil: "End of the hold; null: it lasts until it is released.",
};

const rangeFields = {
  since:
    "The instant of the dump: when `pg_dump` had ended, or any later instant before the restored project accepted requests.",
  until: "When the database that was dumped stopped sending, at most now. Default: now.",
  instanceId: instanceMeaning,
};

const exampleRange = { since: "2026-11-23T12:00:00Z" };

/** Holds queues, and settles what may have left before a restore. */
export const queueOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "POST",
    path: "/queue/hold",
    operationId: "holdQueue",
    summary: "Hold the queue of an instance, or of all",
    description:
      "While a queue is held, the dispatcher sends nothing of the instance: no queued, delayed or retried message, no reply of the AI agent, no e-mail. Immediate sends go out, and inbound messages are recorded. A message that waits has `heldBy` `operator_hold`. A new hold replaces the former one. Without `instanceId` every instance that exists is held; one that is created later is not.",
    body: holdQueueSchema,
    isIdempotent: true,
    success: { description: "The hold.", schema: holdQueueResponseSchema },
    errors: ["service_unavailable", "Instance not found"],
    fields: holdFields,
    examples: [{
      name: "one_instance",
      summary: "One instance, until it is released",
      request: { instanceId: demoInstanceId, reason: "Restored from the backup of 12:00" },
      response: {
        success: true,
        instances: 1,
        inFlight: 0,
        heldUntil: null,
        reason: "Restored from the backup of 12:00",
      },
    }],
  },
  {
    ...adminOperation,
    method: "GET",
    path: "/queue/holds",
    operationId: "listQueueHolds",
    summary: "List the instances that are held",
    description: "Pages of holds by operators, oldest first.",
    query: listHoldsSchema,
    success: { description: "A page.", schema: queueHoldsResponseSchema },
    errors: ["service_unavailable"],
    fields: ofItems({
      name: "Name of the instance.",
      heldAt: "Start of the hold.",
      heldUntil: holdFields.heldUntil,
      reason: holdFields.reason,
      waiting: "Number of messages that wait in the queue.",
      inFlight: holdFields.inFlight,
    }),
    examples: [{
      name: "page",
      summary: "One instance is held",
      request: { limit: 50 },
      response: {
        success: true,
        items: [{
          instanceId: demoInstanceId,
          name: "Demo",
          heldAt: exampleInstant,
          heldUntil: null,
          reason: "Restored from the backup of 12:00",
          waiting: 12,
          inFlight: 0,
        }],
        nextCursor: null,
      },
    }],
  },
  {
    ...adminOperation,
    method: "GET",
    path: "/queue/may-have-left",
    operationId: "listMayHaveLeft",
    summary: "List what may have left before a restore",
    description:
      "For a project that was restored from a dump. Lists the messages of the dump that may have left since: those that were waiting and have become due, those that were in flight, and those in doubt. `instances` has the counts of each instance concerned, with the e-mails and the AI agent's replies that were promised before the dump. Pages of messages, oldest first.",
    query: mayHaveLeftSchema,
    success: { description: "A page.", schema: mayHaveLeftResponseSchema },
    errors: ["service_unavailable", "Instance not found"],
    fields: {
      ...rangeFields,
      total: "Number of messages that may have left.",
      acceptedSince:
        "Number of messages in the queue that were accepted after `since`, and are not listed. Above 0 before the project is opened, `since` is too early.",
      instances: "Counts of each instance concerned.",
      "instances.name": "Name of the instance.",
      "instances.waiting": "Messages that wait and were due by `until`.",
      "instances.inFlight": "Messages that a process was sending when the dump was made.",
      "instances.unconfirmed": "Messages in doubt.",
      "instances.emails": "E-mails of the outbox.",
      "instances.agentReplies": "Replies of the AI agent that were promised.",
      items: "The messages.",
      "items.state":
        "`waiting`: it leaves when the queue is released. `in_flight`: it becomes `unconfirmed` when its lease is over. `unconfirmed`: it is in doubt.",
      "items.dueAt": "When it was due; of a message in doubt, since when it is.",
    },
    examples: [{
      name: "one_message",
      summary: "One message was due after the dump",
      request: exampleRange,
      response: {
        success: true,
        since: "2026-11-23T12:00:00.000Z",
        until: exampleInstant,
        total: 1,
        acceptedSince: 0,
        instances: [{
          instanceId: demoInstanceId,
          name: "Demo",
          waiting: 1,
          inFlight: 0,
          unconfirmed: 0,
          emails: 0,
          agentReplies: 0,
        }],
        items: [{
          messageId: demoQueuedMessageId,
          instanceId: demoInstanceId,
          contactId: demoContactId,
          messageType: "text",
          state: "waiting",
          dueAt: "2026-11-23T12:30:00.000Z",
          createdAt: "2026-11-23T11:30:00.000Z",
        }],
        nextCursor: null,
      },
    }],
  },
  {
    ...adminOperation,
    method: "POST",
    path: "/queue/may-have-left/settle",
    operationId: "settleMayHaveLeft",
    summary: "Settle what may have left before a restore",
    description:
      "Settles a batch of what `GET queue/may-have-left` lists. Call it until `remaining` is 0. `unconfirmed` records that it is unknown whether the messages left: they are not sent again by themselves, and later events of the provider settle them. `cancel` takes waiting messages out of the queue. `keep` leaves them in it: they are sent once the queue is released. Messages in flight at the dump become `unconfirmed` under each action. Except for `keep`, e-mails and replies become `dead` entries of the outbox, which can be retried.",
    body: settleMayHaveLeftSchema,
    isIdempotent: true,
    success: { description: "Result of this call.", schema: settledResponseSchema },
    errors: ["service_unavailable", "Instance not found"],
    fields: {
      ...rangeFields,
      action: "What becomes of the messages.",
      unconfirmed: "Number of messages that are recorded as `unconfirmed`.",
      canceled: "Number of messages that were canceled.",
      outboxRows: "Number of entries of the outbox that were given up.",
      remaining: "Number of messages and entries that the action has still to settle.",
    },
    examples: [{
      name: "in_doubt",
      summary: "Whether they left is unknown",
      request: { ...exampleRange, action: "unconfirmed" },
      response: { success: true, unconfirmed: 1, canceled: 0, outboxRows: 0, remaining: 0 },
    }],
  },
  {
    ...adminOperation,
    method: "POST",
    path: "/queue/release",
    operationId: "releaseQueue",
    summary: "Release the queue of an instance, or of all",
    description:
      "Ends the hold by an operator. What has become due meanwhile leaves at the instance's pace, inside its send window. A hold after a refusal by the provider goes on. Releasing a queue that is not held changes nothing.",
    body: releaseQueueSchema,
    isIdempotent: true,
    success: { description: "The result.", schema: releaseQueueResponseSchema },
    errors: ["service_unavailable", "Instance not found"],
    fields: { instanceId: instanceMeaning, instances: holdFields.instances },
    examples: [{
      name: "one_instance",
      summary: "One instance",
      request: { instanceId: demoInstanceId },
      response: { success: true, instances: 1 },
    }],
  },
];
