import { demoInstanceId } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { adminOperation } from "./resources/resource_docs.ts";
import { serviceHealthResponseSchema } from "./service_health.ts";

const oldestDue = (part: string): Readonly<Record<string, string>> => ({
  [`${part}.oldestDueAt`]: "Time since which the oldest due row has been due; null when none is.",
  [`${part}.oldestDueSeconds`]: "The same as an age in seconds.",
});

export const healthOperation: Operation = {
  ...adminOperation,
  method: "GET",
  path: "/health",
  operationId: "getServiceHealth",
  summary: "Check whether all instances' messages are being sent",
  description:
    "The state of the whole service, at most 15 seconds old. `late`: a due message of at least one instance is more than one minute overdue. `disconnected`: at least one instance has lost its connection to the channel. `held`: a provider rejects at least one whole instance, or an operator holds it. For one instance see `messages-api/health`.",
  success: { description: "State of the service.", schema: serviceHealthResponseSchema },
  errors: ["service_unavailable"],
  fields: {
    status:
      "`late` when an instance is late, else `disconnected` when one is, else `held` when one is held, else `ok`.",
    checkedAt: "Time at which the database was asked.",
    instances: "Numbers of instances.",
    "instances.total": "Number of all instances.",
    "instances.held": "Number of instances that their provider rejects as a whole.",
    "instances.disconnected": "Number of instances that have lost their connection.",
    "instances.late": "Number of instances with a message more than one minute overdue.",
    "instances.unconfirmed": "Number of instances with messages whose outcome is unknown.",
    messages: "Messages that are to be sent.",
    "messages.queueDepth": "Number of queued messages, due or not.",
    "messages.inFlight": "Number of messages that are being sent.",
    "messages.unconfirmed": "Number of messages whose outcome is unknown.",
    ...oldestDue("messages"),
    outbox: "E-mails and agents' answers that requests promised.",
    "outbox.pending": "Number of entries that are not done yet.",
    "outbox.dead": "Number of entries that were given up in the last 90 days.",
    ...oldestDue("outbox"),
    database: "The database.",
    "database.sizeBytes": "Its size on disk.",
    attention: "The twenty instances that need attention most, late ones first.",
    "attention.instanceId": "Id of the instance.",
    "attention.status": "`ok` (it has unconfirmed messages), `late`, `disconnected` or `held`.",
    "attention.name": "Its name.",
    "attention.heldBy":
      "The hold that keeps it, as `heldBy` of its messages: `operator_hold`, `disconnected`, `wrong_phone` or `instance_held`; null when none does.",
    "attention.holdReason": "Why: see `messages-api/health`.",
    "attention.holdCode": "The code by which the provider refused the instance; null otherwise.",
    "attention.heldUntil": "End of the hold; null when it has none, or there is none.",
    "attention.oldestDueSeconds": "Age of its oldest due message; null when none is due.",
    "attention.queueDepth": "Number of its queued messages, due or not.",
    "attention.unconfirmed": "Number of its messages whose outcome is unknown.",
  },
  examples: [{
    name: "one_held",
    summary: "One instance is held",
    response: {
      success: true,
      status: "held",
      checkedAt: "2026-11-23T13:00:00.000Z",
      instances: { total: 500, held: 1, disconnected: 0, late: 0, unconfirmed: 1 },
      messages: {
        ...{ queueDepth: 1840, inFlight: 12, unconfirmed: 3 },
        ...{ oldestDueAt: "2026-11-23T12:59:59.000Z", oldestDueSeconds: 1 },
      },
      outbox: { pending: 2, dead: 0, oldestDueAt: null, oldestDueSeconds: null },
      database: { sizeBytes: 2147483648 },
      attention: [{
        ...{ instanceId: demoInstanceId, name: "Atendimento", status: "held" },
        ...{ heldBy: "instance_held", holdReason: "provider_refused", holdCode: "190" },
        ...{ heldUntil: "2026-11-23T13:05:00.000Z", oldestDueSeconds: null },
        ...{ queueDepth: 41, unconfirmed: 3 },
      }],
    },
  }],
};
