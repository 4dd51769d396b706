import type { INodeProperties } from "n8n-workflow";
import { idempotencyKeyField, instantField, otherFieldsField, textField } from "./fields";

/** Why a message is sent. */
export const purposeField: INodeProperties = {
  displayName: "Purpose",
  name: "purpose",
  type: "options",
  options: [
    { name: "Authentication", value: "authentication" },
    { name: "Marketing", value: "marketing" },
    { name: "Service", value: "service" },
    { name: "Utility", value: "utility" },
  ],
  default: "service",
  description: "Why it is sent. Marketing to a contact that has denied it is refused.",
  routing: { send: { type: "body", property: "purpose" } },
};

/** The least distance between two queued messages. */
export const intervalField: INodeProperties = {
  displayName: "Interval (Seconds)",
  name: "intervalSeconds",
  type: "number",
  typeOptions: { minValue: 10 },
  default: 30,
  description: "Minimum number of seconds between this queued message and the one before",
  routing: { send: { type: "body", property: "intervalSeconds" } },
};

/** Those of `sendingFields` that a question takes as well. */
export const questionSendingNames = ["pauseAgent", "purpose", "queued", "sentBy"];

/** What every call that sends one message takes. */
export const sendingFields: INodeProperties[] = [
  textField(
    "cancelKey",
    "Cancel Key",
    "Name under which messages that wait can be canceled together",
  ),
  {
    displayName: "Cancel On",
    name: "cancelOn",
    type: "multiOptions",
    options: [
      { name: "Payment", value: "payment" },
      { name: "Reply", value: "reply" },
    ],
    default: [],
    description: "What cancels the message while it waits",
    routing: { send: { type: "body", property: "cancelOn" } },
  },
  textField(
    "cardId",
    "Card ID",
    "Tracking identifier of yours; it is in the history and in events",
  ),
  {
    displayName: "Delay (Seconds)",
    name: "delayMessage",
    type: "number",
    typeOptions: { minValue: 0 },
    default: 0,
    description: "Number of seconds to wait before sending",
    routing: { send: { type: "body", property: "delayMessage" } },
  },
  instantField("expiresAt", "Expires At", "What has not left by then is never sent"),
  idempotencyKeyField,
  intervalField,
  {
    displayName: "Metadata",
    name: "metadata",
    type: "fixedCollection",
    typeOptions: { multipleValues: true },
    placeholder: "Add Entry",
    default: {},
    description: "Keys and texts of your own; they are in the message's record and in its events",
    routing: {
      send: {
        type: "body",
        property: "metadata",
        value:
          "={{ ($value.entry ?? []).reduce((all, { key, value }) => ({ ...all, [key]: String(value) }), {}) }}",
      },
    },
    options: [
      {
        displayName: "Entry",
        name: "entry",
        values: [
          { displayName: "Key", name: "key", type: "string", default: "" },
          { displayName: "Value", name: "value", type: "string", default: "" },
        ],
      },
    ],
  },
  otherFieldsField,
  {
    displayName: "Pause Agent",
    name: "pauseAgent",
    type: "boolean",
    default: true,
    description: "Whether the AI agent pauses for this contact after the message",
    routing: { send: { type: "body", property: "pauseAgent" } },
  },
  purposeField,
  {
    displayName: "Queued",
    name: "queued",
    type: "boolean",
    default: true,
    description: "Whether the message goes through the instance's paced queue",
    routing: { send: { type: "body", property: "queued" } },
  },
  instantField("sendAt", "Send At", "Earliest instant of sending, up to 35 days ahead"),
  textField("sentBy", "Sent By", "Origin of the message, such as automation or operator"),
];
