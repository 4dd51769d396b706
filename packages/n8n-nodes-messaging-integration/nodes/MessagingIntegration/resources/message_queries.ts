import type { INodeProperties } from "n8n-workflow";
import { messageStatuses } from "../options";
import { dayField, instantField, textField } from "../shared/fields";

const show = { resource: ["message"] };
const history = { ...show, operation: ["getHistory"] };

/** What decides which messages are read. */
export const messageQueryFields: INodeProperties[] = [
  {
    ...dayField("start", "Start", "First day of the period"),
    required: true,
    displayOptions: { show: history },
  },
  {
    ...dayField("end", "End", "Last day of the period"),
    required: true,
    displayOptions: { show: history },
  },
  {
    displayName: "Format",
    name: "format",
    type: "options",
    options: [
      { name: "Conversation", value: "conversation", description: "Text for an LLM" },
      { name: "Raw", value: "raw", description: "Rows with all fields" },
    ],
    default: "conversation",
    displayOptions: { show: history },
    routing: { send: { type: "query", property: "format" } },
  },
  {
    displayName: "Options",
    name: "options",
    type: "collection",
    placeholder: "Add Option",
    default: {},
    displayOptions: { show: history },
    options: [
      {
        displayName: "Include Attachments",
        name: "attachments",
        type: "boolean",
        default: true,
        description: "Whether files are listed",
        routing: { send: { type: "query", property: "attachments" } },
      },
      {
        displayName: "Include Meta",
        name: "includeMeta",
        type: "boolean",
        default: true,
        description: "Whether each row has its metadata",
        routing: { send: { type: "query", property: "includeMeta" } },
      },
      {
        displayName: "Maximum Messages",
        name: "maximum",
        type: "number",
        typeOptions: { minValue: 1 },
        default: 100,
        description: "Number of messages to read at most",
        routing: { send: { type: "query", property: "limit" } },
      },
      {
        displayName: "Only Sent",
        name: "fromMe",
        type: "boolean",
        default: true,
        description:
          "Whether only messages of the business, or only those of the contact, are read",
        routing: { send: { type: "query", property: "fromMe" } },
      },
      textField("connectedPhone", "Connected Phone", "Only messages of this number", "query"),
    ],
  },
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    default: {},
    displayOptions: { show: { ...show, operation: ["getAll"] } },
    options: [
      textField("batchId", "Batch ID", undefined, "query"),
      textField("cardId", "Card ID", undefined, "query"),
      textField("contactId", "Contact ID", undefined, "query"),
      {
        displayName: "Direction",
        name: "direction",
        type: "options",
        options: [
          { name: "Inbound", value: "inbound" },
          { name: "Outbound", value: "outbound" },
        ],
        default: "inbound",
        routing: { send: { type: "query", property: "direction" } },
      },
      instantField("since", "Since", "Only messages from then on", "query"),
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: messageStatuses,
        default: "failed",
        routing: { send: { type: "query", property: "status" } },
      },
      instantField("until", "Until", "Only messages up to then", "query"),
    ],
  },
];
