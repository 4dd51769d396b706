import {
  demoInstanceId,
  demoOutboxId,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { outbox, outboxResponseSchema } from "./outbox.ts";
import { adminOperation, exampleInstant, type ResourceDocs } from "./resource_docs.ts";

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
  instanceId: "Instance of the entry; null when it has none.",
  kind:
    "Type of the entry: `assignment_email` notifies an operator, `agent_reply` makes the AI agent reply.",
  status: "`pending` is still to be processed; `dead` failed for good.",
  runAt: "Time of the next attempt.",
  lastError: "Error of the last failed attempt.",
};

/** The outbox in the document and the command line. */
export const outboxDocs: ResourceDocs = {
  resource: outbox,
  name: "Outbox",
  singular: "an outbox entry",
  plural: "outbox entries",
  example: outboxExample,
  fields: outboxNotes,
  listErrors: ["workspace_not_found"],
  list: {
    operationId: "listOutbox",
    description:
      "Pages of outbox entries, oldest first: e-mails and agent replies that are processed after the response.",
    example: {
      name: "given_up",
      summary: "Entries that failed for good",
      request: { status: "dead" },
    },
  },
  isReadable: false,
  commandLine: {
    description: "e-mails and agent replies that are processed after the response",
    columns: ["outboxId", "kind", "status", "attempts", "lastError", "runAt"],
    example: "outbox list --status dead",
  },
};

/** Retries an entry that was given up. */
export const retryOperation: Operation = {
  ...adminOperation,
  method: "POST",
  path: "/outbox/:id/retry",
  operationId: "retryOutbox",
  summary: "Retry a dead outbox entry",
  description: "Does not change an entry that is not `dead`. The request has no body.",
  pathParameters: { id: { description: "`outboxId` of the entry.", example: demoOutboxId } },
  isIdempotent: true,
  success: { description: "The updated entry.", schema: outboxResponseSchema },
  errors: ["service_unavailable", "not_found"],
  fields: outboxNotes,
  examples: [{
    name: "pending_again",
    summary: "An entry that is pending again",
    response: {
      success: true,
      ...outboxExample,
      status: "pending",
      attempts: 0,
      settledAt: null,
    },
  }],
};
