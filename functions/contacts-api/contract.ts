import * as z from "zod";
import { freeObjectSchema } from "../../shared/model/bounded_fields.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { createdContactFields, updatedContactFields } from "../../shared/model/contact_fields.ts";
import {
  changedTagsFields,
  consentStates,
  contactConsentFields,
  contactSchema,
  deletedContactSchema,
  savedContactFields,
} from "../../shared/model/contact_record.ts";
import { erasureFields } from "../../shared/model/erasure_record.ts";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { messageErrorSchema } from "../../shared/model/message_error.ts";
import { pageSchema } from "../../shared/model/page.ts";
import { peopleScopes } from "../../shared/model/people_scope.ts";
import {
  findRecipientIssues,
  flagSchema,
  idSchema,
  inOneLine,
  instanceIdSchema,
  instanceQuerySchema,
  recipientFields,
  searchedTextSchema,
} from "../../shared/model/request_fields.ts";
import { withoutStrayMarks } from "../../shared/model/visible_text.ts";
import { successField } from "../../shared/model/response_fields.ts";

/**
 * Trimmed, 1 to 50 characters (decisions, section 3). Normalised, so that the Unicode forms of an
 * accent give the same tag, and without marks that nobody sees and no emoji needs.
 */
const tagNameSchema = inOneLine(
  z.string().normalize("NFC").overwrite(withoutStrayMarks).trim().refine(
    (name) => [...name].length >= 1 && [...name].length <= 50,
    "must be 1 to 50 characters",
    // Counts characters as JSON Schema does. The document's generator cannot read this check.
  ),
).meta({ minLength: 1, maxLength: 50 });
const tagNamesSchema = z.array(tagNameSchema).max(100);

const targetFields = { instanceId: instanceIdSchema, ...recipientFields };

/** Requires exactly one of `phone`, `contactId` and `userId`. */
export const checkTarget: CrossCheck = (request) => findRecipientIssues(request);

/** POST /functions/v1/contacts-api/create (specification 4.3). */
export const createContactSchema = z.object({
  instanceId: instanceIdSchema,
  phone: recipientFields.phone,
  userId: recipientFields.userId,
  ...createdContactFields,
  tags: tagNamesSchema.optional(),
});

/** Requires exactly one of `phone` and `userId`: an id is of a contact that exists. */
export const checkCreateContact: CrossCheck = (request) =>
  findRecipientIssues(request, ["phone", "userId"]);

/** POST /functions/v1/contacts-api/update (specification 4.3). */
export const updateContactSchema = z.object({
  ...targetFields,
  ...updatedContactFields,
  tags: tagNamesSchema.optional(),
});

export type SaveContactRequest = z.infer<typeof updateContactSchema>;

/** POST /functions/v1/contacts-api/tags (specification 4.3). */
export const changeTagsSchema = z.object({
  ...targetFields,
  addTags: tagNamesSchema.optional(),
  removeTags: tagNamesSchema.optional(),
});

/** Requires one contact, and at least one of the two lists. No name may be in both. */
export const checkChangeTags: CrossCheck = (request) => [
  ...checkTarget(request),
  ...checkTagLists(request),
];

const checkTagLists: CrossCheck = ({ addTags, removeTags }) => {
  if (addTags === undefined && removeTags === undefined) {
    return [{ path: "addTags", message: "is required, or removeTags" }];
  }
  const added = new Set(toComparable(addTags).filter((name) => name !== undefined));
  return toComparable(removeTags).flatMap((name, index) =>
    name !== undefined && added.has(name)
      ? [{
        path: `removeTags.${index}`,
        message: "is also in addTags (names are compared case-insensitively)",
      }]
      : []
  );
};

/** The comparison keys of a list's names, in its order; undefined for an invalid name. */
function toComparable(names: unknown): (string | undefined)[] {
  if (!Array.isArray(names)) return [];
  return names.map((name) => tagNameSchema.safeParse(name).data?.toLowerCase());
}

/** POST /functions/v1/contacts-api/consent (beyond the specification, section 4). */
export const setConsentSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  ...recipientFields,
  marketing: z.enum(consentStates),
  source: z.string().trim().min(1).max(100).default("api"),
  evidence: z.union(
    [z.string().trim().min(1).max(4_000), freeObjectSchema(8 * 1024)],
    "must be text of at most 4000 characters, or an object of at most 8 KiB",
  ).nullish(),
});

export const setConsentResponseSchema = z.object({ ...successField, ...contactConsentFields });

/** POST /functions/v1/contacts-api/block and /unblock (beyond the specification). */
export const blockContactSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  ...recipientFields,
});

export const blockContactResponseSchema = z.object({
  ...successField,
  contactId: z.uuid(),
  isBlocked: z.boolean(),
  channel: z.enum(["blocked", "unblocked", "not_supported", "refused"]),
  details: messageErrorSchema.optional(),
});

/** POST /functions/v1/contacts-api/merge (beyond the specification, section 3). */
export const mergeContactsSchema = z.object({
  instanceId: instanceIdSchema.optional(),
  contactId: idSchema,
  intoContactId: idSchema,
});

/** Refuses to merge a contact into itself. */
export const checkMergeContacts: CrossCheck = ({ contactId, intoContactId }) =>
  contactId !== undefined && String(contactId).toLowerCase() === String(intoContactId).toLowerCase()
    ? [{ path: "intoContactId", message: "must be another contact than contactId" }]
    : [];

export const mergeContactsResponseSchema = z.object({ ...successField, contactId: z.uuid() });

export const updateContactResponseSchema = z.object({ ...successField, ...savedContactFields });

export const createContactResponseSchema = updateContactResponseSchema.omit({
  fieldsUpdated: true,
});

export const changeTagsResponseSchema = z.object({ ...successField, ...changedTagsFields });

/** A contact's id in a path. No contact has an id of another form. */
export const contactIdSchema = idSchema;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** GET /functions/v1/contacts-api/contacts. Filters combine: a contact must pass each. */
export const listContactsSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
  ...recipientFields,
  tag: tagNameSchema.refine(isStorable, "must be text").optional(),
  q: searchedTextSchema.optional(),
  assignedTo: z.string().trim().min(1).max(320).refine(isStorable, "must be text").optional(),
  consent: z.enum(consentStates).optional(),
  referral: flagSchema.optional(),
  updatedSince: storableInstantSchema.optional(),
});

/** Of a call that may reach the person's contacts at the other instances of the workspace. */
export const scopeQuerySchema = instanceQuerySchema.extend({
  scope: z.enum(peopleScopes).optional(),
});

/** DELETE /functions/v1/contacts-api/contacts/{contactId} (beyond the specification, section 4). */
export const eraseContactResponseSchema = z.object({ ...successField, erasureId: z.uuid() });

/** GET /functions/v1/contacts-api/erasures/{erasureId}. */
export const erasureResponseSchema = z.object({ ...successField, ...erasureFields });

export const contactResponseSchema = z.object({ ...successField, ...contactSchema.shape });

export const contactListResponseSchema = z.object({
  ...successField,
  items: z.array(z.union([contactSchema, deletedContactSchema])),
  nextCursor: z.string().nullable(),
});
