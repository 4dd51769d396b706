import type { INodeProperties } from "n8n-workflow";
import {
  additionalFields,
  idempotencyKeyField,
  idField,
  pathPart,
  personFields,
} from "../shared/fields";
import { listFields, listRouting } from "../shared/list";
import { contactFilters, createFields, flagFields } from "./contact_fields";
import { consentFields, mergeFields, phoneFields, tagFields } from "./contact_changes";

const show = { resource: ["contact"] };
const contact = `/contacts-api/contacts/${pathPart("contactUuid")}`;

/** People: their fields, tags, consent, and their end. */
export const contactDescription: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show },
    options: [
      {
        name: "Block",
        value: "block",
        action: "Block a contact",
        description: "Send nothing to a contact any more, and block it on the channel where it can",
        routing: { request: { method: "POST", url: "/contacts-api/block" } },
      },
      {
        name: "Change Tags",
        value: "changeTags",
        action: "Add and remove tags of a contact",
        description: "Add and remove tags",
        routing: { request: { method: "POST", url: "/contacts-api/tags" } },
      },
      {
        name: "Clean Phone Number",
        value: "sanitizePhone",
        action: "Clean a phone number",
        description: "Remove the formatting of a phone number",
        routing: { request: { method: "POST", url: "/sanitize-phone-number" } },
      },
      {
        name: "Create or Update",
        value: "upsert",
        action: "Create or update a contact",
        description: "Create a new record, or update the current one if it already exists (upsert)",
        routing: { request: { method: "POST", url: "/contacts-api/create" } },
      },
      {
        name: "Erase",
        value: "delete",
        action: "Erase a contact",
        description: "Erase a person with all messages, permanently",
        routing: { request: { method: "DELETE", url: `=${contact}` } },
      },
      {
        name: "Export",
        value: "export",
        action: "Export the data of a contact",
        description: "Read all that is stored of a person",
        routing: { request: { method: "GET", url: `=${contact}/export` } },
      },
      {
        name: "Get",
        value: "get",
        action: "Get a contact",
        description: "Get a contact by its ID",
        routing: { request: { method: "GET", url: `=${contact}` } },
      },
      {
        name: "Get Erasure",
        value: "getErasure",
        action: "Get an erasure",
        description: "See how far an erasure is",
        routing: {
          request: { method: "GET", url: `=/contacts-api/erasures/${pathPart("erasureId")}` },
        },
      },
      {
        name: "Get Many",
        value: "getAll",
        action: "Get many contacts",
        description: "List and search contacts",
        routing: listRouting("/contacts-api/contacts"),
      },
      {
        name: "Merge",
        value: "merge",
        action: "Merge two contacts",
        description: "Merge two contacts that are one person",
        routing: { request: { method: "POST", url: "/contacts-api/merge" } },
      },
      {
        name: "Set Consent",
        value: "setConsent",
        action: "Set the consent of a contact",
        description: "Record what a contact says to marketing",
        routing: { request: { method: "POST", url: "/contacts-api/consent" } },
      },
      {
        name: "Unblock",
        value: "unblock",
        action: "Unblock a contact",
        description: "Allow sending to a contact again, and unblock it on the channel",
        routing: { request: { method: "POST", url: "/contacts-api/unblock" } },
      },
      {
        name: "Update",
        value: "update",
        action: "Update a contact",
        description: "Change fields and flags of a contact",
        routing: { request: { method: "POST", url: "/contacts-api/update" } },
      },
    ],
    default: "upsert",
  },
  idField("contact", ["delete", "export", "get"], {
    name: "contactUuid",
    displayName: "Contact ID",
  }),
  idField("contact", ["getErasure"], {
    name: "erasureId",
    displayName: "Erasure ID",
    description: "The erasureId that erasing has answered",
  }),
  ...personFields("contact", ["upsert"], "body", ["phone", "userId"]),
  ...personFields("contact", ["block", "changeTags", "setConsent", "unblock", "update"]),
  ...tagFields,
  ...consentFields,
  ...mergeFields,
  ...phoneFields,
  ...contactFilters,
  ...listFields("contact", ["getAll"]),
  additionalFields("contact", ["upsert"], createFields),
  additionalFields("contact", ["update"], [...createFields, ...flagFields]),
  additionalFields("contact", ["changeTags", "merge"], [idempotencyKeyField]),
];
