import type { INodeProperties } from "n8n-workflow";
import { messageTypes } from "../options";
import {
  additionalFields,
  idempotencyKeyField,
  idField,
  instantField,
  jsonField,
  pathPart,
  personFields,
  textField,
} from "../shared/fields";
import { listFields, listRouting } from "../shared/list";
import { sendingFields } from "../shared/sending";
import { contentFields } from "./message_content";
import { messageQueryFields } from "./message_queries";
import { questionFields } from "./message_question";

const show = { resource: ["message"] };
const message = `/messages-api/messages/${pathPart("messageId")}`;

/** What is done with one message. */
const messageOperations = [
  ...["cancel", "deleteForEveryone", "edit", "get", "markAsRead", "move", "retry"],
];

/** Sending, reading and changing messages, and the queue in which they wait. */
export const messageDescription: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show },
    options: [
      {
        name: "Cancel",
        value: "cancel",
        action: "Cancel a waiting message",
        description: "Cancel a message that has not left yet",
        routing: { request: { method: "DELETE", url: `=${message}` } },
      },
      {
        name: "Cancel Many",
        value: "cancelMany",
        action: "Cancel messages by their key",
        description: "Cancel all messages that wait under a cancel key",
        routing: { request: { method: "DELETE", url: "/messages-api/messages" } },
      },
      {
        name: "Delete for Everyone",
        value: "deleteForEveryone",
        action: "Delete a sent message for everyone",
        description: "Delete a sent message on the channel too, where the channel can",
        routing: { request: { method: "DELETE", url: `=${message}`, qs: { for: "everyone" } } },
      },
      {
        name: "Edit",
        value: "edit",
        action: "Edit a sent message",
        description: "Replace the text or caption of a sent message, where the channel can",
        routing: { request: { method: "PATCH", url: `=${message}` } },
      },
      {
        name: "Get",
        value: "get",
        action: "Get a message",
        description: "Read a message, sent or received",
        routing: { request: { method: "GET", url: `=${message}` } },
      },
      {
        name: "Get Health",
        value: "getHealth",
        action: "Get the health of the instance",
        description: "Check whether messages are being sent",
        routing: { request: { method: "GET", url: "/messages-api/health" } },
      },
      {
        name: "Get History",
        value: "getHistory",
        action: "Get the history of a contact",
        description: "Read the messages with one contact, as text for an LLM or as rows",
        routing: { request: { method: "GET", url: "/messages-context" } },
      },
      {
        name: "Get Many",
        value: "getAll",
        action: "Get many messages",
        description: "List messages, sent and received",
        routing: listRouting("/messages-api/messages"),
      },
      {
        name: "Get Queue",
        value: "getQueue",
        action: "Get the queue",
        description: "List the messages that wait, in the order in which they leave",
        routing: listRouting("/messages-api/queue"),
      },
      {
        name: "Mark as Read",
        value: "markAsRead",
        action: "Mark a received message as read",
        description: "Mark a received message and those before it as read on the channel",
        routing: { request: { method: "POST", url: `=${message}/read` } },
      },
      {
        name: "Move",
        value: "move",
        action: "Move a waiting message",
        description: "Move a waiting message to another time",
        routing: { request: { method: "PATCH", url: `=${message}` } },
      },
      {
        name: "Retry",
        value: "retry",
        action: "Retry a failed message",
        description: "Send a failed or unconfirmed message again",
        routing: { request: { method: "POST", url: `=${message}/retry` } },
      },
      {
        name: "Send",
        value: "send",
        action: "Send a message",
        description: "Send, queue or schedule a message",
        routing: { request: { method: "POST", url: "/send-message" } },
      },
      {
        name: "Send and Wait for Response",
        value: "sendAndWait",
        action: "Ask a question and wait for the answer",
        description: "Ask a person, and go on with the answer, or when the time is over",
      },
      {
        name: "Start With Agent",
        value: "startWithAgent",
        action: "Start a conversation as the AI agent",
        description: "Send the first message of a conversation that the AI agent goes on with",
        routing: {
          request: {
            method: "POST",
            url: "/process-ai-agent",
            body: { initiateConversation: true },
          },
        },
      },
    ],
    default: "send",
  },
  idField("message", messageOperations, {
    name: "messageId",
    displayName: "Message ID",
    description: "The messageId, or the provider's message ID",
  }),
  {
    displayName: "New Text",
    name: "newText",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    required: true,
    displayOptions: { show: { ...show, operation: ["edit"] } },
    routing: { send: { type: "body", property: "message" } },
    description: "What the message says from now on",
  },
  {
    displayName: "Show Typing",
    name: "typing",
    type: "boolean",
    default: false,
    displayOptions: { show: { ...show, operation: ["markAsRead"] } },
    routing: { send: { type: "body", property: "typing" } },
    description: "Whether to show the person that an answer is being typed",
  },
  {
    displayName: "Cancel Key",
    name: "cancelKey",
    type: "string",
    default: "",
    required: true,
    displayOptions: { show: { ...show, operation: ["cancelMany"] } },
    routing: { send: { type: "query", property: "cancelKey" } },
    description: "The key that the messages were given when they were sent",
  },
  ...personFields("message", ["send", "sendAndWait", "startWithAgent"]),
  ...personFields("message", ["getHistory"], "query"),
  {
    displayName: "Message Type",
    name: "messageType",
    type: "options",
    options: messageTypes,
    default: "text",
    displayOptions: { show: { ...show, operation: ["send"] } },
    routing: { send: { type: "body", property: "messageType" } },
  },
  ...contentFields,
  {
    displayName: "Message",
    name: "messageText",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    required: true,
    displayOptions: { show: { ...show, operation: ["startWithAgent"] } },
    routing: { send: { type: "body", property: "messageText" } },
    description: "The first message, sent as the agent",
  },
  ...questionFields,
  ...messageQueryFields,
  ...listFields("message", ["getAll", "getQueue"]),
  additionalFields("message", ["move"], [
    instantField("sendAt", "Send At", "The new time of sending"),
    instantField("expiresAt", "Expires At", "What has not left by then is never sent"),
  ]),
  additionalFields("message", ["edit", "retry"], [idempotencyKeyField]),
  additionalFields("message", ["startWithAgent"], [
    textField("agentId", "Agent ID", "Agent of the instance, where it has several"),
    jsonField("externalContext", "External Context", "Data of your system that the agent can use"),
    ...sendingFields.filter(({ name }) => name !== "cardId" && name !== "delayMessage"),
  ]),
  additionalFields("message", ["send"], [
    textField(
      "assignTo",
      "Assign To",
      "Operator to assign the conversation to: email address or UUID",
    ),
    {
      displayName: "Portfolio",
      name: "portfolio",
      type: "boolean",
      default: true,
      description: "Whether the contact is in the portfolio of the operator",
      routing: { send: { type: "body", property: "portfolio" } },
    },
    {
      displayName: "Typing (Milliseconds)",
      name: "delayTyping",
      type: "number",
      typeOptions: { minValue: 0 },
      default: 0,
      description: "How long to show the typing indicator, where the channel supports it",
      routing: { send: { type: "body", property: "delayTyping" } },
    },
    ...sendingFields,
  ]),
];
