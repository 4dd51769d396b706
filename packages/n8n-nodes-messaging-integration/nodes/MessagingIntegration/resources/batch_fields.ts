import type { INodeProperties } from "n8n-workflow";
import { batchStatuses, recipientStatuses } from "../options";
import {
  idempotencyKeyField,
  instantField,
  jsonField,
  otherFieldsField,
  textField,
} from "../shared/fields";
import { templateField } from "../shared/templates";
import { intervalField, purposeField } from "../shared/sending";

const shown = (...operations: string[]): { show: Record<string, string[]> } => ({
  show: { resource: ["batch"], operation: operations },
});

/** What every recipient gets. */
export const batchContentFields: INodeProperties[] = [
  {
    displayName: "Content",
    name: "batchContent",
    type: "options",
    noDataExpression: true,
    options: [
      {
        name: "Message (JSON)",
        value: "message",
        description: "Any type, as the API's reference names its fields",
      },
      { name: "Template", value: "template" },
      { name: "Text", value: "text" },
    ],
    default: "text",
    displayOptions: shown("create"),
  },
  {
    displayName: "Text",
    name: "batchText",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    required: true,
    displayOptions: { show: { ...shown("create").show, batchContent: ["text"] } },
    routing: {
      send: {
        type: "body",
        property: "message",
        value: '={{ ({ messageType: "text", message: $value }) }}',
      },
    },
    description: "Each recipient's variables are written as {{name}}",
  },
  {
    ...jsonField("message", "Message", "Type and fields, as sending a message takes them"),
    displayOptions: { show: { ...shown("create").show, batchContent: ["message"] } },
  },
  {
    ...templateField("batchTemplateId"),
    displayOptions: { show: { ...shown("create").show, batchContent: ["template"] } },
    routing: { send: { type: "body", property: "template.templateId" } },
  },
];

/** Who gets it. */
export const recipientFields: INodeProperties[] = [
  {
    ...jsonField(
      "recipients",
      "Recipients",
      "Up to 1,000 of them, each with phone, contactId or userId, and with variables, cardId and metadata where needed",
      '[{ "phone": "5511988887777", "variables": {} }]',
    ),
    required: true,
    displayOptions: shown("addRecipients", "create"),
  },
];

/** Which batches and which recipients are listed. */
export const batchFilters: INodeProperties[] = [
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    default: {},
    displayOptions: shown("getAll"),
    options: [
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: batchStatuses,
        default: "running",
        routing: { send: { type: "query", property: "status" } },
      },
    ],
  },
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    default: {},
    displayOptions: shown("getRecipients"),
    options: [
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: recipientStatuses,
        default: "failed",
        routing: { send: { type: "query", property: "status" } },
      },
    ],
  },
];

export const createBatchFields: INodeProperties[] = [
  {
    displayName: "Dry Run",
    name: "dryRun",
    type: "boolean",
    default: true,
    description: "Whether to answer what starting it would do, and store nothing",
    routing: { send: { type: "body", property: "dryRun" } },
  },
  instantField("expiresAt", "Expires At", "What has not left by then is never sent"),
  idempotencyKeyField,
  intervalField,
  textField("name", "Name", "A name for people"),
  otherFieldsField,
  purposeField,
  instantField("startAt", "Start At", "No message leaves before; it does not start the batch"),
  {
    displayName: "Validation",
    name: "validation",
    type: "options",
    options: [
      { name: "Permissive", value: "permissive", description: "Takes the entries without errors" },
      {
        name: "Strict",
        value: "strict",
        description: "Refuses the whole call for one wrong entry",
      },
    ],
    default: "strict",
    routing: { send: { type: "body", property: "validation" } },
  },
];
