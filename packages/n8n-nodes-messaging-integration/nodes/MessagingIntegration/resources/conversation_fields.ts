import type { INodeProperties } from "n8n-workflow";
import { instantField, textField } from "../shared/fields";

const shown = (operation: string): { show: Record<string, string[]> } => ({
  show: { resource: ["conversation"], operation: [operation] },
});
const statuses = [
  { name: "Closed", value: "closed" },
  { name: "Open", value: "open" },
  { name: "Pending", value: "pending" },
];

/** What the operations of a conversation ask for. */
export const conversationFields: INodeProperties[] = [
  {
    displayName: "Note",
    name: "note",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    required: true,
    displayOptions: shown("addNote"),
    routing: { send: { type: "body", property: "note" } },
  },
  {
    displayName: "Assign To",
    name: "assignTo",
    type: "string",
    default: "",
    required: true,
    displayOptions: shown("assign"),
    routing: { send: { type: "body", property: "assignTo" } },
    description: "Email address or UUID of an operator",
  },
  {
    displayName: "Paused",
    name: "paused",
    type: "boolean",
    default: true,
    displayOptions: shown("setAgentPause"),
    routing: { send: { type: "body", property: "paused" } },
    description: "Whether the AI agent is paused for this contact",
  },
  {
    displayName: "Minutes",
    name: "minutes",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 30,
    displayOptions: {
      show: { resource: ["conversation"], operation: ["setAgentPause"], paused: [true] },
    },
    routing: { send: { type: "body", property: "minutes" } },
    description: "Length of the pause in minutes, at most 30 days",
  },
  {
    displayName: "Control",
    name: "control",
    type: "options",
    options: [
      { name: "Pass to Another Responder", value: "pass" },
      { name: "Release", value: "release" },
      { name: "Take", value: "take" },
    ],
    default: "take",
    displayOptions: shown("setControl"),
    routing: { send: { type: "body", property: "action" } },
  },
  {
    displayName: "Role",
    name: "role",
    type: "options",
    options: [
      { name: "AI Agent", value: "ai_agent" },
      { name: "Click-to-WhatsApp Ads", value: "ctwa" },
      { name: "Customer Service", value: "customer_service" },
      { name: "Escalation", value: "escalation" },
      { name: "Marketing", value: "marketing" },
      { name: "Utility", value: "utility" },
    ],
    default: "ai_agent",
    displayOptions: {
      show: { resource: ["conversation"], operation: ["setControl"], control: ["pass"] },
    },
    routing: { send: { type: "body", property: "role" } },
    description: "The responder that is to have the conversation",
  },
  {
    displayName: "Status",
    name: "status",
    type: "options",
    options: statuses,
    default: "closed",
    displayOptions: shown("setStatus"),
    routing: { send: { type: "body", property: "status" } },
  },
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    default: {},
    displayOptions: shown("getAll"),
    options: [
      textField("assignedTo", "Assigned To", "Email address or UUID of an operator", "query"),
      {
        displayName: "Awaiting Reply",
        name: "awaitingReply",
        type: "boolean",
        default: true,
        description: "Whether the contact has written last",
        routing: { send: { type: "query", property: "awaitingReply" } },
      },
      textField("departmentId", "Department ID", undefined, "query"),
      textField("referral", "Referral", "Conversations that an ad or a post has begun", "query"),
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: statuses,
        default: "open",
        routing: { send: { type: "query", property: "status" } },
      },
      textField("tag", "Tag", undefined, "query"),
      instantField("updatedSince", "Updated Since", "Only those that changed after it", "query"),
    ],
  },
];
