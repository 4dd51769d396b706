import type { INodeProperties } from "n8n-workflow";
import {
  additionalFields,
  idempotencyKeyField,
  jsonField,
  listOfWordsField,
  textField,
} from "../shared/fields";

const shown = (operation: string): { show: Record<string, string[]> } => ({
  show: { resource: ["contact"], operation: [operation] },
});

export const tagFields: INodeProperties[] = [
  {
    ...listOfWordsField("addTags", "Add Tags", "Tags to add, separated by commas"),
    displayOptions: shown("changeTags"),
  },
  {
    ...listOfWordsField("removeTags", "Remove Tags", "Tags to remove, separated by commas"),
    displayOptions: shown("changeTags"),
  },
];

export const consentFields: INodeProperties[] = [
  {
    displayName: "Marketing",
    name: "marketing",
    type: "options",
    options: [
      { name: "Denied", value: "denied" },
      { name: "Granted", value: "granted" },
      { name: "Unknown", value: "unknown" },
    ],
    default: "granted",
    displayOptions: shown("setConsent"),
    routing: { send: { type: "body", property: "marketing" } },
    description: "What the contact says to marketing messages",
  },
  additionalFields("contact", ["setConsent"], [
    jsonField("evidence", "Evidence", "What proves it, such as a form's name and its time"),
    idempotencyKeyField,
    textField("source", "Source", "Where the contact has said it"),
  ]),
];

export const mergeFields: INodeProperties[] = [
  {
    displayName: "Contact ID",
    name: "mergedContactId",
    type: "string",
    default: "",
    required: true,
    displayOptions: shown("merge"),
    routing: { send: { type: "body", property: "contactId" } },
    description: "The contact that ends",
  },
  {
    displayName: "Into Contact ID",
    name: "intoContactId",
    type: "string",
    default: "",
    required: true,
    displayOptions: shown("merge"),
    routing: { send: { type: "body", property: "intoContactId" } },
    description: "The contact that stays",
  },
];

export const phoneFields: INodeProperties[] = [
  {
    displayName: "Phone Number",
    name: "rawPhone",
    type: "string",
    default: "",
    required: true,
    placeholder: "+55 (11) 98888-7777",
    displayOptions: shown("sanitizePhone"),
    routing: { send: { type: "body", property: "phone" } },
    description: "A phone number in any format",
  },
  {
    displayName: "Country",
    name: "country",
    type: "string",
    default: "",
    placeholder: "BR",
    displayOptions: shown("sanitizePhone"),
    routing: {
      send: {
        type: "body",
        property: "country",
        value: '={{ $value === "" ? undefined : $value }}',
      },
    },
    description: "Country in which the number is dialled: two letters of ISO 3166",
  },
];
