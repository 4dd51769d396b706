import type { INodeProperties } from "n8n-workflow";
import {
  additionalFields,
  idempotencyKeyField,
  idField,
  pathPart,
  personFields,
  textField,
} from "../shared/fields";
import { listFields, listRouting } from "../shared/list";
import { conversationFields } from "./conversation_fields";

const show = { resource: ["conversation"] };
const conversation = `/conversations-api/conversations/${pathPart("conversationId")}`;

/** Who answers a conversation, its state and its notes. */
export const conversationDescription: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show },
    options: [
      {
        name: "Add Note",
        value: "addNote",
        action: "Add a note to a conversation",
        description: "Add a note that only operators see",
        routing: { request: { method: "POST", url: "/conversations-api/note" } },
      },
      {
        name: "Assign",
        value: "assign",
        action: "Assign a conversation",
        description: "Assign a conversation to an operator",
        routing: { request: { method: "POST", url: "/conversations-api/assign" } },
      },
      {
        name: "Get",
        value: "get",
        action: "Get a conversation",
        description: "Get a conversation by its ID",
        routing: { request: { method: "GET", url: `=${conversation}` } },
      },
      {
        name: "Get Agent Pause",
        value: "getAgentPause",
        action: "Get the pause of the AI agent",
        description: "See whether the AI agent is paused for a contact",
        routing: { request: { method: "GET", url: "/conversations-api/agent-pause" } },
      },
      {
        name: "Get Many",
        value: "getAll",
        action: "Get many conversations",
        description: "List conversations",
        routing: listRouting("/conversations-api/conversations"),
      },
      {
        name: "Get Notes",
        value: "getNotes",
        action: "Get the notes of a conversation",
        description: "List the internal notes of a conversation",
        routing: listRouting(`=${conversation}/notes`),
      },
      {
        name: "Get Transfers",
        value: "getTransfers",
        action: "Get the transfers of a conversation",
        description: "List who had a conversation, and when",
        routing: listRouting(`=${conversation}/transfers`),
      },
      {
        name: "Set Agent Pause",
        value: "setAgentPause",
        action: "Pause or resume the AI agent",
        description: "Pause the AI agent for a contact, or let it go on",
        routing: { request: { method: "POST", url: "/conversations-api/agent-pause" } },
      },
      {
        name: "Set Control",
        value: "setControl",
        action: "Take or pass on a conversation",
        description:
          "Take a conversation of the official channel from its other responder, pass it on, or release it",
        routing: { request: { method: "POST", url: "/conversations-api/control" } },
      },
      {
        name: "Set Status",
        value: "setStatus",
        action: "Set the status of a conversation",
        description: "Open, close or put off a conversation",
        routing: { request: { method: "POST", url: "/conversations-api/status" } },
      },
      {
        name: "Unassign",
        value: "unassign",
        action: "Take a conversation from its operator",
        description: "Take a conversation from its operator",
        routing: { request: { method: "POST", url: "/conversations-api/unassign" } },
      },
    ],
    default: "getAll",
  },
  idField("conversation", ["get", "getNotes", "getTransfers"], {
    name: "conversationId",
    displayName: "Conversation ID",
  }),
  ...personFields("conversation", [
    "addNote",
    "assign",
    "setAgentPause",
    "setControl",
    "setStatus",
    "unassign",
  ]),
  ...personFields("conversation", ["getAgentPause"], "query"),
  ...conversationFields,
  ...listFields("conversation", ["getAll", "getNotes", "getTransfers"]),
  additionalFields("conversation", ["addNote", "setAgentPause", "setControl", "unassign"], [
    idempotencyKeyField,
  ]),
  additionalFields("conversation", ["assign"], [
    textField("departmentId", "Department ID"),
    idempotencyKeyField,
    {
      displayName: "Portfolio",
      name: "portfolio",
      type: "boolean",
      default: true,
      description: "Whether the contact is in the portfolio of the operator",
      routing: { send: { type: "body", property: "portfolio" } },
    },
  ]),
  additionalFields("conversation", ["setStatus"], [
    idempotencyKeyField,
    textField("internalNote", "Internal Note", "A note that only operators see"),
  ]),
];
