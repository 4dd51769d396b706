import { demoContactId, demoInstanceRef, demoPhone } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  changeTagsResponseSchema,
  changeTagsSchema,
  createContactResponseSchema,
  createContactSchema,
  setConsentResponseSchema,
  setConsentSchema,
  updateContactResponseSchema,
  updateContactSchema,
} from "./contract.ts";

const exampleInstant = "2026-11-22T09:30:00.000-03:00";

const target = { instanceId: demoInstanceRef, phone: demoPhone };

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
];
