import type { INodeProperties } from "n8n-workflow";
import { additionalFields, idempotencyKeyField, idField, pathPart } from "../shared/fields";
import { listFields, listRouting } from "../shared/list";
import {
  batchContentFields,
  batchFilters,
  createBatchFields,
  recipientFields,
} from "./batch_fields";

const show = { resource: ["batch"] };
const batch = `/batches-api/batches/${pathPart("batchId")}`;

/** Lists of people, and what they get. */
export const batchDescription: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show },
    options: [
      {
        name: "Add Recipients",
        value: "addRecipients",
        action: "Add recipients to a batch",
        description: "Add recipients to a draft",
        routing: { request: { method: "POST", url: `=${batch}/recipients` } },
      },
      {
        name: "Cancel",
        value: "cancel",
        action: "Cancel a batch",
        description: "End a batch; what has left stays",
        routing: { request: { method: "POST", url: `=${batch}/cancel` } },
      },
      {
        name: "Create",
        value: "create",
        action: "Create a batch",
        description: "Create a draft: a list of people and what they get",
        routing: { request: { method: "POST", url: "/batches-api/batches" } },
      },
      {
        name: "Dry Run",
        value: "dryRun",
        action: "Dry run a batch",
        description: "Ask what starting a draft now would do",
        routing: { request: { method: "POST", url: `=${batch}/dry-run` } },
      },
      {
        name: "Get",
        value: "get",
        action: "Get a batch",
        description: "Get a batch and its counts",
        routing: { request: { method: "GET", url: `=${batch}` } },
      },
      {
        name: "Get Many",
        value: "getAll",
        action: "Get many batches",
        description: "List batches",
        routing: listRouting("/batches-api/batches"),
      },
      {
        name: "Get Recipients",
        value: "getRecipients",
        action: "Get the recipients of a batch",
        description: "See what became of each recipient",
        routing: listRouting(`=${batch}/recipients`),
      },
      {
        name: "Pause",
        value: "pause",
        action: "Pause a batch",
        description: "Pause a batch",
        routing: { request: { method: "POST", url: `=${batch}/pause` } },
      },
      {
        name: "Resume",
        value: "resume",
        action: "Resume a paused batch",
        description: "Let a paused batch go on",
        routing: { request: { method: "POST", url: `=${batch}/resume` } },
      },
      {
        name: "Retry Failed",
        value: "retryFailed",
        action: "Retry what failed of a batch",
        description: "Try what has failed again",
        routing: { request: { method: "POST", url: `=${batch}/retry-failed` } },
      },
      {
        name: "Start",
        value: "start",
        action: "Start a batch",
        description: "Start a draft",
        routing: { request: { method: "POST", url: `=${batch}/start` } },
      },
    ],
    default: "create",
  },
  idField(
    "batch",
    [
      ...["addRecipients", "cancel", "dryRun", "get", "getRecipients"],
      ...["pause", "resume", "retryFailed", "start"],
    ],
    { name: "batchId", displayName: "Batch ID" },
  ),
  ...batchContentFields,
  ...recipientFields,
  ...batchFilters,
  ...listFields("batch", ["getAll", "getRecipients"]),
  additionalFields("batch", ["create"], createBatchFields),
  additionalFields(
    "batch",
    ["addRecipients", "cancel", "dryRun", "pause", "resume", "retryFailed", "start"],
    [idempotencyKeyField],
  ),
];
