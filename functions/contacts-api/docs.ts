import { demoContactId, demoInstanceRef, demoPhone } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  changeTagsResponseSchema,
  changeTagsSchema,
  createContactResponseSchema,
  createContactSchema,
  updateContactResponseSchema,
  updateContactSchema,
} from "./contract.ts";

const target = { instanceId: demoInstanceRef, phone: demoPhone };

/** The operations of contacts-api (specification 4.3). */
export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/create",
    operationId: "createContact",
    tag: "Contacts",
    summary: "Create a contact, or update the one that is there",
    description:
      "A contact is unique per phone and instance; both forms of a Brazilian mobile number, with and without the ninth digit, are the same contact. For a known phone the fields that were sent are changed, `null` clears one, and `action` is `updated`.\n\n" +
      "`customLabels` are merged key by key; a `null` value removes the key. Tags are added, and created when the instance does not know them.",
    access: "clientToken",
    body: createContactSchema,
    isIdempotent: true,
    success: { description: "The contact as it is now.", schema: createContactResponseSchema },
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
    summary: "Change a contact's fields and flags",
    description:
      "Only the fields that are sent change; `null` clears one. Tags are added to those that are there and replace none. A missing contact is created (`action` = `created`).",
    access: "clientToken",
    body: updateContactSchema,
    isIdempotent: true,
    success: {
      description: "What was written.",
      schema: updateContactResponseSchema,
    },
    errors: ["invalid_phone"],
    examples: [{
      name: "job_title_and_flag",
      summary: "A new job title, and a favourite",
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
      "Takes `addTags`, `removeTags` or both in one call; a name in both is refused. Names are compared without regard to case. A missing contact is created.",
    access: "clientToken",
    body: changeTagsSchema,
    isIdempotent: true,
    success: {
      description: "Which of the tags the contact has now, and which were taken off.",
      schema: changeTagsResponseSchema,
    },
    errors: ["invalid_phone"],
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
];
