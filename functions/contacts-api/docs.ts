import * as z from "zod";
import {
  demoContactId,
  demoConversationId,
  demoErasureId,
  demoInstanceRef,
  demoLeavingContactId,
  demoPhone,
  demoSecondContactId,
} from "../../shared/openapi/demo_fixtures.ts";
import { shownContactFields } from "../../shared/model/contact_fields.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  type FieldTexts,
  paymentTexts,
  questionTexts,
  textsBelow,
} from "../../shared/openapi/record_texts.ts";
import { instanceQuerySchema } from "../../shared/model/request_fields.ts";
import {
  blockContactResponseSchema,
  blockContactSchema,
  changeTagsResponseSchema,
  changeTagsSchema,
  contactListResponseSchema,
  contactResponseSchema,
  createContactResponseSchema,
  createContactSchema,
  eraseContactResponseSchema,
  erasureResponseSchema,
  listContactsSchema,
  mergeContactsResponseSchema,
  mergeContactsSchema,
  scopeQuerySchema,
  setConsentResponseSchema,
  setConsentSchema,
  updateContactResponseSchema,
  updateContactSchema,
} from "./contract.ts";
import { exportResponseSchema } from "./export_contract.ts";

const exampleInstant = "2026-11-22T12:30:00.000Z";

const target = { instanceId: demoInstanceRef, phone: demoPhone };

/** A contact of whom nothing is known but what the example names. */
const noFields = Object.fromEntries(Object.keys(shownContactFields).map((name) => [name, null]));

const contact = {
  contactId: demoContactId,
  phone: demoPhone,
  ...noFields,
  name: "João Silva",
  email: "joao@example.com",
  company: "Silva & Filhos",
  tags: ["lead"],
  utmSource: "google",
  utmCampaign: "bf-2026",
  customLabels: { crmId: "4711" },
  isFavorite: false,
  isArchived: false,
  isBlocked: false,
  origin: "api",
  consent: { marketing: "unknown", at: null, source: null },
  identities: [{ kind: "phone", value: demoPhone, provenAt: "2026-11-23T13:00:00.000Z" }],
  window: { isOpen: true, closesAt: null, freeUntil: null },
  referral: null,
  profilePictureUrl: null,
  aiAgentPausedUntil: null,
  conversation: {
    conversationId: demoConversationId,
    status: "open",
    assignedTo: null,
    departmentId: null,
    portfolio: false,
    lastMessageAt: "2026-11-23T13:00:00.000Z",
  },
  createdAt: "2026-11-20T12:00:00.000Z",
  updatedAt: "2026-11-23T13:00:00.000Z",
};

const contactFieldTexts = {
  origin: "How the contact came to be: `api` or `inbound`.",
  identities:
    "By what the contact is known; `provenAt` is null for what the API gave and nobody has proven.",
  "identities.kind": "Kind of the identity.",
  "identities.value": "The phone, the LID or the user id.",
  "identities.provenAt": "When the channel last showed that it is the contact's.",
  window:
    "The official channel's 24 hours after the contact's last message that was no reaction. Gateways have none: always open.",
  "window.isOpen": "Whether a free-form message may be sent now.",
  "window.closesAt":
    "When it closes or has closed; null before the contact's first message, and on gateways.",
  "window.freeUntil":
    "While the channel bills nothing: 72 hours from the first answer within 24 hours of a message that an ad or post brought. Null for none now. It does not open the window.",
  aiAgentPausedUntil: "Until when the AI agent keeps silent; null when it is not paused.",
  conversation: "The contact's conversation; null before the first operation that needs one.",
  "conversation.lastMessageAt": "When the last message was sent or received.",
  updatedAt: "Last change of the contact or its conversation, messages included.",
};

/** The contact stands once, at the head of the export. */
function withoutContact({ contact: _, ...texts }: FieldTexts): FieldTexts {
  return texts;
}

/** What an export has of a person at one instance. */
const exportedFieldTexts: FieldTexts = {
  ...textsBelow("contact", contactFieldTexts),
  contact: "The contact, with every field.",
  mergedContactIds: "Contacts that were merged into this one.",
  agentSession: "What the AI agent knows beyond the messages; null without a session.",
  "agentSession.collectedData": "`externalContext` of the calls, merged.",
  consentLog: "Every statement about marketing, oldest first.",
  "consentLog.at": "When it was said.",
  "consentLog.source":
    "Who said so: `api` or what the caller gave; `keyword`, `user_preferences` or `131050` where the person said it in the channel; `erasure` where it was said before an erasure.",
  "consentLog.evidence": "What the caller gave as evidence.",
  "consentLog.messageId": "The message that said it, where it was a keyword.",
  "consentLog.recordedAt": "When it was recorded.",
  notes: "Internal notes, oldest first.",
  transfers: "Transfers between operators, oldest first.",
  questions: "Every question that was asked, with its answer, oldest first.",
  ...textsBelow("questions", withoutContact(questionTexts)),
  payments: "Every payment that was asked for, oldest first.",
  ...textsBelow("payments", withoutContact(paymentTexts)),
  "messages.mediaUrl": "`mediaUrl` of the call, if it had one; null for a file of ours.",
  messages: "Every message: first those that have not left, then the others, oldest first.",
  "messages.content": "What the message holds beside its words, such as options; null for none.",
  "messages.media": "The message's file; null for none.",
  "messages.media.filename": "The file's name.",
  "messages.media.mimeType": "What the file is.",
  "messages.media.size": "Its size in bytes.",
  "messages.media.sha256": "SHA-256 of its content, in hexadecimal.",
  "messages.media.transcript": "What is said in a voice message.",
  "messages.expiresAt":
    "What has not left by then is never sent and becomes `expired`; null for no end.",
  "messages.sentBy": "Who sent it, as the sending call said.",
};

const scopeText =
  "`workspace` reaches the person's contacts at every instance of the workspace; default `instance`.";

/** The operations of contacts-api (specification 4.3). */
export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/create",
    operationId: "createContact",
    ignoresParameters: true,
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
    ignoresParameters: true,
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
    ignoresParameters: true,
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
  ...(["block", "unblock"] as const).map((action): Operation => ({
    method: "POST",
    path: `/${action}`,
    operationId: `${action}Contact`,
    tag: "Contacts",
    summary: action === "block" ? "Block a person" : "End the block of a person",
    description: action === "block"
      ? "Sets `isBlocked`, so that nothing is sent to the contact any more, and blocks the person on the channel, where it can: the person's messages do not arrive any more. A missing contact of a phone or user id is created. What the channel answers is told in `channel`, and changes nothing of `isBlocked`. The official channel blocks only who has written within 24 hours."
      : "Takes `isBlocked` back, here and on the channel. What the channel answers is told in `channel`.",
    access: "clientToken",
    body: blockContactSchema,
    isIdempotent: true,
    success: {
      description: "The contact, and what the channel did.",
      schema: blockContactResponseSchema,
      schemaName: "BlockedContact",
    },
    errors: ["invalid_phone", "contact_not_found"],
    fields: {
      isBlocked: "What the contact is now.",
      channel:
        "`blocked` or `unblocked`: done there too. `not_supported`: the channel has no blocking. `refused`: it did not do it, or its answer was lost; see `details`.",
      details: "Why the channel did not do it.",
      "details.code": "The provider's code; `outcome_unknown` where its answer was lost.",
      "details.message": "The provider's words.",
    },
    examples: [{
      name: `${action}ed`,
      summary: action === "block" ? "Blocked here and on the channel" : "May be written to again",
      request: target,
      response: {
        success: true,
        contactId: demoContactId,
        isBlocked: action === "block",
        channel: `${action}ed`,
      },
    }],
  })),
  {
    method: "GET",
    path: "/contacts",
    operationId: "listContacts",
    tag: "Contacts",
    summary: "List and search contacts, or follow their changes",
    description: "Pages of the instance's contacts, in order of creation. Filters combine.\n\n" +
      "With `updatedSince` the pages are in the order of changes and miss none. Merged and erased contacts appear as `{contactId, isDeleted: true, mergedInto}`, whatever the other filters say. To stay in step, go on with the `updatedAt` of the last contact that you have read.\n\n" +
      "A page reads a bounded number of contacts: where few of many match several filters, it can have fewer items than `limit`, even none, before the last page. Read on until `nextCursor` is null.",
    access: "clientToken",
    query: listContactsSchema.extend({ referral: z.boolean().optional() }),
    success: { description: "A page of contacts.", schema: contactListResponseSchema },
    errors: ["invalid_phone", "contact_not_found", "operator_not_found"],
    fields: {
      ...textsBelow("items", contactFieldTexts),
      "items.isDeleted": "The contact is merged or erased.",
      "items.mergedInto": "The contact that it was merged into; null when it was erased.",
      phone:
        "Only the contact of this phone: digits with country code; `q` takes other notations. At most one of `phone`, `contactId` and `userId`.",
      contactId: "Only this contact.",
      userId: "Only the contact of this user id of the official channel.",
      tag: "Only contacts with this tag, in any case.",
      q: "Text in the name, e-mail, company or phone, in any case and without regard to accents. A phone, or a part of at least eight digits, may be written with `+`, brackets, blanks, dots and hyphens. One or two characters are looked for at the beginning of words.",
      assignedTo: "Only contacts whose conversation is assigned to this operator: e-mail or UUID.",
      consent: "Only contacts with this consent to marketing.",
      referral:
        "The ad or post that brought the contact last; in the query, whether one did at all.",
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
    query: instanceQuerySchema,
    pathParameters: { id: { description: "`contactId` of the contact.", example: demoContactId } },
    success: { description: "The contact.", schema: contactResponseSchema },
    errors: ["contact_not_found", "contact_erased"],
    fields: contactFieldTexts,
    examples: [{
      name: "contact",
      summary: "A contact with a conversation",
      request: { instanceId: demoInstanceRef },
      response: { success: true, ...contact },
    }],
  },
  {
    method: "DELETE",
    path: "/contacts/:id",
    operationId: "eraseContact",
    tag: "Contacts",
    summary: "Erase a person",
    description:
      "Erases everything about the person: messages, notes, media, events, and what is about them in stored payloads of providers, outbox rows, webhook deliveries and kept answers. What waits to be sent is not sent. Most persons are gone when this is answered; the dispatcher erases what is more, within the hour. A message that is being sent at this moment is settled first. Afterwards calls that name the contact are answered `contact_erased`; a message of the person, or a call with the phone, makes a new contact. Of a person who had denied marketing a keyed hash of each identity remains, so that this new contact is `denied` too. The event `contact.erased` tells other systems. A token with scopes needs `erase`. With `scope=workspace` the person is erased at every instance of the workspace, and the erasure reports on all of them; where the workspace's `peopleScope` is `instance`, it is refused.",
    access: "clientToken",
    query: scopeQuerySchema,
    pathParameters: {
      id: { description: "`contactId` of the contact.", example: demoLeavingContactId },
    },
    success: {
      status: 202,
      description: "The erasure has begun.",
      schema: eraseContactResponseSchema,
    },
    errors: ["contact_not_found", "contact_erased", "people_scope"],
    fields: {
      scope: scopeText,
      erasureId: "How far it is: `GET erasures/{erasureId}`.",
    },
    examples: [{
      name: "erase",
      summary: "Erase a person",
      request: { instanceId: demoInstanceRef },
      response: { success: true, erasureId: demoErasureId },
    }],
  },
  {
    method: "GET",
    path: "/contacts/:id/export",
    operationId: "exportContact",
    tag: "Contacts",
    summary: "Export a person's data",
    description:
      "Everything that is stored about a person, as one JSON object: the contact with its identities and consent, the log of consent, the conversation, internal notes, transfers, what the AI agent has collected, and every message with its content. Files are named by `mediaId`: `GET media-api/media/{mediaId}` gives them. Copies of the same data, such as events and the provider's payloads, are left out. The answer is written while it is read, so it may be of any size; one that breaks off is not valid JSON: ask again. A token with scopes needs `contacts` and `history`. With `scope=workspace` the person's contacts at the workspace's other instances follow as `otherInstances`; a token with scopes needs `erase` as well for that.",
    access: "clientToken",
    query: scopeQuerySchema,
    pathParameters: { id: { description: "`contactId` of the contact.", example: demoContactId } },
    success: { description: "The person's data.", schema: exportResponseSchema },
    errors: ["contact_not_found", "contact_erased", "people_scope"],
    fields: {
      scope: scopeText,
      exportedAt: "When the export was begun.",
      otherInstances: "The same person at other instances; with `scope=workspace` alone.",
      "otherInstances.instanceId": "The other instance.",
      "otherInstances.instanceName": "Its name.",
      ...exportedFieldTexts,
      ...textsBelow("otherInstances", exportedFieldTexts),
    },
    examples: [{
      name: "export",
      summary: "A person without messages",
      request: { instanceId: demoInstanceRef },
      response: {
        success: true,
        exportedAt: "2026-11-23T13:00:00.000Z",
        contact,
        mergedContactIds: [],
        agentSession: null,
        consentLog: [],
        notes: [],
        transfers: [],
        questions: [],
        payments: [],
        messages: [],
      },
    }],
  },
  {
    method: "GET",
    path: "/erasures/:id",
    operationId: "getErasure",
    tag: "Contacts",
    summary: "Get an erasure",
    description: "How far the erasure of a person is, and how much is gone.",
    access: "clientToken",
    query: instanceQuerySchema,
    pathParameters: { id: { description: "`erasureId` of the erasure.", example: demoErasureId } },
    success: { description: "The erasure.", schema: erasureResponseSchema },
    errors: ["erasure_not_found"],
    fields: {
      erasureId: "The erasure.",
      contactId: "The contact whose person was erased.",
      status: "`done`: nothing of the person is left.",
      counts: "How many rows of each kind are gone, or were emptied of what was about the person.",
      "counts.messages": "Messages, sent and received.",
      "counts.notes": "Internal notes.",
      "counts.media": "Files.",
      "counts.events": "Events of the feed.",
      "counts.deliveries":
        "Webhook deliveries of those events, and receivers' answers that named the person.",
      "counts.providerPayloads": "Payloads of the provider's webhooks.",
      "counts.outboxPayloads": "E-mails and other work of the outbox.",
      "counts.idempotencyBodies": "Kept answers of calls with an Idempotency-Key.",
    },
    examples: [{
      name: "done",
      summary: "A person is erased",
      request: { instanceId: demoInstanceRef },
      response: {
        success: true,
        erasureId: demoErasureId,
        contactId: demoContactId,
        status: "done",
        counts: {
          messages: 42,
          notes: 3,
          media: 2,
          events: 118,
          deliveries: 118,
          providerPayloads: 57,
          outboxPayloads: 1,
          idempotencyBodies: 4,
        },
      },
    }],
  },
  {
    method: "POST",
    path: "/merge",
    operationId: "mergeContacts",
    tag: "Contacts",
    summary: "Merge two contacts that are one person",
    description:
      "Messages, tags, notes, identities, the agent's session and waiting messages of `contactId` move to `intoContactId`, which survives. The survivor's fields stay, empty ones are filled; of two consents `denied` wins, then the newer. What waits goes to the survivor's address that was last proven. From now on the id of the merged contact means the survivor, so that repeating the call changes nothing. Many messages move in the background after the answer; reads by either id have all of them meanwhile. A merge cannot be undone.",
    access: "clientToken",
    body: mergeContactsSchema,
    isIdempotent: true,
    success: { description: "The survivor.", schema: mergeContactsResponseSchema },
    errors: ["contact_not_found", "contact_erased"],
    fields: {
      contactId: "The contact that is merged; in the response the survivor.",
      intoContactId: "The contact that survives: another one.",
    },
    examples: [{
      name: "two_numbers",
      summary: "A second number of the same person",
      request: { contactId: demoSecondContactId, intoContactId: demoContactId },
      response: { success: true, contactId: demoContactId },
    }],
  },
];
