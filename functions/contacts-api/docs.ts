import {
  demoContactId,
  demoConversationId,
  demoInstanceRef,
  demoPhone,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import * as z from "zod";
import { instanceIdSchema } from "../../shared/model/request_fields.ts";
import {
  changeTagsResponseSchema,
  changeTagsSchema,
  contactListResponseSchema,
  contactResponseSchema,
  createContactResponseSchema,
  createContactSchema,
  listContactsSchema,
  setConsentResponseSchema,
  setConsentSchema,
  updateContactResponseSchema,
  updateContactSchema,
} from "./contract.ts";

const exampleInstant = "2026-11-22T09:30:00.000-03:00";

const target = { instanceId: demoInstanceRef, phone: demoPhone };

const contact = {
  contactId: demoContactId,
  phone: demoPhone,
  name: "João Silva",
  email: "joao@example.com",
  company: "Silva & Filhos",
  jobTitle: null,
  notes: null,
  tags: ["lead"],
  utmSource: "google",
  utmMedium: null,
  utmCampaign: "bf-2026",
  customLabels: { crmId: "4711" },
  isFavorite: false,
  isArchived: false,
  isBlocked: false,
  origin: "api",
  consent: { marketing: "unknown", at: null, source: null },
  identities: [{ kind: "phone", value: demoPhone, provenAt: "2026-11-23T13:00:00.000+00:00" }],
  window: null,
  aiAgentPausedUntil: null,
  conversation: {
    conversationId: demoConversationId,
    status: "open",
    assignedTo: null,
    departmentId: null,
    portfolio: false,
    lastMessageAt: "2026-11-23T10:00:00.000-03:00",
  },
  createdAt: "2026-11-20T09:00:00.000-03:00",
  updatedAt: "2026-11-23T10:00:00.000-03:00",
};

const contactFieldTexts = {
  origin: "How the contact came to be: `api` or `inbound`.",
  identities:
    "By what the contact is known; `provenAt` is null for what the API gave and nobody has proven.",
  "identities.kind": "Kind of the identity.",
  "identities.value": "The phone, the LID or the user id.",
  "identities.provenAt": "When the channel last showed that it is the contact's.",
  window: "The official channel's 24 hours after the contact's last message; null on gateways.",
  "window.isOpen": "Whether a free-form message may be sent now.",
  "window.closesAt": "When it closes or has closed; null before the contact's first message.",
  aiAgentPausedUntil: "Until when the AI agent keeps silent; null when it is not paused.",
  conversation: "The contact's conversation; null before the first operation that needs one.",
  "conversation.lastMessageAt": "When the last message was sent or received.",
  updatedAt: "Last change of the contact or its conversation, messages included.",
};

/** The operations of contacts-api (specification 4.3). */
export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/create",
    operationId: "createContact",
    tag: "Contacts",
    summary: "Create or update a contact",
    description:
      "A contact is unique per instance and phone. Both forms of a Brazilian mobile number, with and without the ninth digit, are the same contact. For an existing contact, the fields in the request are updated, `null` clears a field, and `action` is `updated`.\n\n" +
      "`customLabels` are merged by key; a `null` value removes the key. `tags` are added to the contact; unknown tags are created.",
    access: "clientToken",
    body: createContactSchema,
    isIdempotent: true,
    success: {
      description: "The created or updated contact.",
      schema: createContactResponseSchema,
    },
    errors: ["invalid_phone"],
    examples: [{
      name: "new_contact",
      summary: "A contact with tags and campaign data",
      request: {
        ...target,
        name: "João Silva",
        email: "joao@example.com",
        company: "Silva & Filhos",
        tags: ["lead", "black-friday"],
        utmSource: "google",
        utmCampaign: "bf-2026",
        customLabels: { crmId: "4711" },
      },
      response: {
        success: true,
        action: "created",
        contactId: demoContactId,
        tagsApplied: ["lead", "black-friday"],
      },
    }],
  },
  {
    method: "POST",
    path: "/update",
    operationId: "updateContact",
    tag: "Contacts",
    summary: "Update a contact's fields and flags",
    description:
      "Updates only the fields in the request; `null` clears a field. `tags` are added to the existing tags. A missing contact is created (`action` = `created`).",
    access: "clientToken",
    body: updateContactSchema,
    isIdempotent: true,
    success: {
      description: "The updated fields and tags.",
      schema: updateContactResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    examples: [{
      name: "job_title_and_flag",
      summary: "A new job title and the favorite flag",
      request: { ...target, jobTitle: "Gerente", notes: null, isFavorite: true, tags: ["vip"] },
      response: {
        success: true,
        action: "updated",
        contactId: demoContactId,
        fieldsUpdated: ["isFavorite", "jobTitle", "notes"],
        tagsApplied: ["vip"],
      },
    }],
  },
  {
    method: "POST",
    path: "/tags",
    operationId: "changeContactTags",
    tag: "Contacts",
    summary: "Add and remove tags",
    description:
      "Requires `addTags`, `removeTags` or both. A name in both is rejected. Names are compared case-insensitively. A missing contact is created.",
    access: "clientToken",
    body: changeTagsSchema,
    isIdempotent: true,
    success: {
      description: "The added tags and the removed tags.",
      schema: changeTagsResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    examples: [{
      name: "lead_to_customer",
      summary: "A lead becomes a customer",
      request: { ...target, addTags: ["customer"], removeTags: ["lead"] },
      response: {
        success: true,
        contactId: demoContactId,
        tagsApplied: ["customer"],
        tagsRemoved: ["lead"],
      },
    }],
  },
  {
    method: "POST",
    path: "/consent",
    operationId: "setContactConsent",
    tag: "Contacts",
    summary: "Record a contact's consent to marketing",
    description:
      "Logs the statement, and makes it the contact's consent. A contact that has `denied` gets no message whose `purpose` is `marketing`. A statement of what is known already is logged and changes nothing. A missing contact of a phone or user id is created.\n\nA contact also decides by a keyword (`optOut` of the instance), and by the preferences of the channel.",
    access: "clientToken",
    body: setConsentSchema,
    isIdempotent: true,
    success: {
      description: "The contact's consent.",
      schema: setConsentResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    fields: {
      source: "Where the contact said it; `api` by default.",
    },
    examples: [{
      name: "denied_by_call",
      summary: "A contact that declined on the phone",
      request: {
        ...target,
        marketing: "denied",
        source: "call_center",
        evidence: "Call 4711, 2026-11-22",
      },
      response: {
        success: true,
        contactId: demoContactId,
        consent: { marketing: "denied", at: exampleInstant, source: "call_center" },
      },
    }],
  },
  {
    method: "GET",
    path: "/contacts",
    operationId: "listContacts",
    tag: "Contacts",
    summary: "List and search contacts, or follow their changes",
    description: "Pages of the instance's contacts, in order of creation. Filters combine.\n\n" +
      "With `updatedSince` the pages are in the order of changes and miss none. Merged and erased contacts appear as `{contactId, isDeleted: true, mergedInto}`, whatever the other filters say. To stay in step, go on with the `updatedAt` of the last contact that you have read.",
    access: "clientToken",
    query: listContactsSchema,
    success: { description: "A page of contacts.", schema: contactListResponseSchema },
    errors: ["invalid_phone", "operator_not_found"],
    fields: {
      ...Object.fromEntries(
        Object.entries(contactFieldTexts).map(([field, text]) => [`items.${field}`, text]),
      ),
      "items.isDeleted": "The contact is merged or erased.",
      "items.mergedInto": "The contact that it was merged into; null when it was erased.",
      tag: "Only contacts with this tag, in any case.",
      q: "Text in the name, e-mail, company or phone, in any case and without regard to accents. One or two characters are looked for at the beginning of words.",
      assignedTo: "Only contacts whose conversation is assigned to this operator: e-mail or UUID.",
      consent: "Only contacts with this consent to marketing.",
      updatedSince: "Only what has changed at this instant or later.",
    },
    examples: [{
      name: "search",
      summary: "Contacts called João",
      request: { instanceId: demoInstanceRef, q: "joao", limit: 50 },
      response: { success: true, items: [contact], nextCursor: null },
    }],
  },
  {
    method: "GET",
    path: "/contacts/:id",
    operationId: "getContact",
    tag: "Contacts",
    summary: "Get a contact",
    description:
      "Every field of a contact. The id of a merged contact returns the contact that it was merged into.",
    access: "clientToken",
    query: z.object({ instanceId: instanceIdSchema.optional() }),
    pathParameters: { id: { description: "`contactId` of the contact.", example: demoContactId } },
    success: { description: "The contact.", schema: contactResponseSchema },
    errors: ["contact_not_found"],
    fields: contactFieldTexts,
    examples: [{
      name: "contact",
      summary: "A contact with a conversation",
      request: { instanceId: demoInstanceRef },
      response: { success: true, ...contact },
    }],
  },
];
