import {
  demoInstanceId,
  demoOutboxId,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { outboxPageSchema, outboxRecord } from "./outbox.ts";
import {
  adminOperation,
  exampleInstant,
  ofItems,
  pageAnswer,
  recordAnswer,
} from "./resource_docs.ts";

const outboxExample = {
  outboxId: demoOutboxId,
  workspaceId: demoWorkspaceId,
  instanceId: demoInstanceId,
  kind: "assignment_email",
  status: "dead",
  attempts: 5,
  lastError: "http_500",
  runAt: exampleInstant,
  createdAt: exampleInstant,
  settledAt: exampleInstant,
};

const outboxNotes = {
  instanceId: "Instance that the entry is about; null when none.",
  kind:
    "What is to be done: `assignment_email` notifies an operator, `agent_reply` lets the AI agent answer.",
  status: "`pending` is still to be done, `dead` was given up.",
  runAt: "When it is tried next.",
  lastError: "Why the last try failed.",
};

export const outboxOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "GET",
    path: "/outbox",
    operationId: "listOutbox",
    summary: "List what is done after requests",
    description:
      "Pages of e-mails and other effects that were promised by a request, oldest first.",
    query: outboxPageSchema,
    success: { description: "A page.", schema: pageAnswer(outboxRecord) },
    errors: ["service_unavailable", "workspace_not_found"],
    fields: ofItems(outboxNotes),
    examples: [{
      name: "given_up",
      summary: "What was given up",
      request: { status: "dead" },
      response: { success: true, items: [outboxExample], nextCursor: null },
    }],
  },
  {
    ...adminOperation,
    method: "POST",
    path: "/outbox/:id/retry",
    operationId: "retryOutbox",
    summary: "Try what was given up again",
    description: "An entry that is not `dead` stays as it is. The request has no body.",
    pathParameters: { id: { description: "`outboxId` of the entry.", example: demoOutboxId } },
    isIdempotent: true,
    success: { description: "The entry as it is now.", schema: recordAnswer(outboxRecord) },
    errors: ["service_unavailable", "not_found"],
    fields: outboxNotes,
    examples: [{
      name: "pending_again",
      summary: "An entry to be tried again",
      response: {
        success: true,
        ...outboxExample,
        status: "pending",
        attempts: 0,
        settledAt: null,
      },
    }],
  },
];
