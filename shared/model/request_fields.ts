/** Fields that several requests share, with their limits and error messages. */
import * as z from "zod";
import { formSchema, shortTextSchema } from "./bounded_fields.ts";
import type { Issue } from "./errors.ts";
import { barePhone, findPhoneFault, possiblePhonePattern } from "./phone.ts";
import { holdsControl, isBlank } from "./visible_text.ts";

/** A schema with the description of its field for the document. */
export function describeField<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
): Schema {
  return schema.meta({ description });
}

/** An instance in any of its three forms (decisions, section 1). */
export const instanceIdSchema = z.string().min(1).max(255);

/** The query of an operation that needs none: it may name the token's instance. */
export const instanceQuerySchema = z.object({ instanceId: instanceIdSchema.optional() });

/** An id of ours. Any UUID version: an unknown id is not found, not malformed. */
export const idSchema = z.guid("must be a UUID");

/**
 * Digits with country code (specification, section 1, rule 3), of a number that can exist. Marks that nobody
 * sees, which come along when a number is copied, are taken out first.
 */
export const phoneSchema = formSchema(
  possiblePhonePattern,
  15,
  (phone) =>
    findPhoneFault(phone) === "impossible"
      ? "must start with a country code, such as 55 for Brazil"
      : "must be 8 to 15 digits with country code, without + or separators",
  barePhone,
);

/** The official channel's id of a person, who may hide the number: a business-scoped user id. */
export const userIdSchema = formSchema(
  /^[A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128}$/,
  135,
  "must be a business-scoped user id, such as BR.1234567890",
);

/** The three ways to name the contact that a call is about. A call takes exactly one. */
export const recipientFields = {
  phone: phoneSchema.optional(),
  contactId: idSchema.optional(),
  userId: userIdSchema.optional(),
};

export type RecipientField = keyof typeof recipientFields;

/** A contact by exactly one of its phone, its id and its user id. */
export type Recipient = {
  readonly [Field in RecipientField]?: z.infer<(typeof recipientFields)[Field]>;
};

const recipientNames = Object.keys(recipientFields) as readonly RecipientField[];

/** The issues of a request that names no contact, or names it twice. `allowed`: the ways it takes. */
export function findRecipientIssues(
  request: Readonly<Record<string, unknown>>,
  allowed: readonly RecipientField[] = recipientNames,
): Issue[] {
  const given = allowed.filter((name) => request[name] !== undefined);
  if (given.length === 0) {
    const [first = "phone", ...others] = allowed;
    return [{ path: first, message: `is required, or ${others.join(", or ")}` }];
  }
  return given.slice(1).map((path) => ({ path, message: `must not be given beside ${given[0]}` }));
}

/** The issues of a list's filters: they name at most one contact, in one way. */
export function findFilterIssues(query: Readonly<Record<string, unknown>>): Issue[] {
  return recipientNames.some((name) => query[name] !== undefined) ? findRecipientIssues(query) : [];
}

/** What a valid request says about the contact, and nothing else of it. */
export function readRecipient({ phone, contactId, userId }: Recipient): Recipient {
  if (phone !== undefined) return { phone };
  return contactId === undefined ? { userId } : { contactId };
}

const wrongDay = "must be a valid date, YYYY-MM-DD";

/** A day that Postgres stores too: the calendar has no year 0. A missing one "is required". */
export const daySchema = z.iso.date({
  error: ({ input }) => input === undefined ? undefined : wrongDay,
  abort: true,
}).refine((day) => !day.startsWith("0000"), { error: wrongDay, abort: true });

/** `true` or `false`, as a query writes it. */
export const flagSchema = z.enum(["true", "false"], { error: "must be true or false" })
  .transform((text) => text === "true");

const wrongPageSize = "must be a whole number from 1 to 1000";

/** How many records an answer holds at most: 1 to 1,000, 100 where the query does not say. */
export const pageSizeSchema = z.string().regex(/^[0-9]{1,9}$/, wrongPageSize).transform(Number)
  .pipe(z.number().min(1, wrongPageSize).max(1_000, wrongPageSize))
  .default(100)
  // The API document describes the number, not its text in the query.
  .meta({ type: "integer", minimum: 1, maximum: 1_000, pattern: undefined });

/** Words that a list is searched by: 1 to 100 characters that a database stores. */
export const searchedTextSchema = z.string().trim().refine(
  (text) => {
    const { length } = [...text];
    return length >= 1 && length <= 100 && text.isWellFormed() && !text.includes("\0");
  },
  "must be 1 to 100 characters",
).meta({ minLength: 1, maxLength: 100 });

/** An operator, by e-mail or UUID. */
export const assignToSchema = z.string().trim().min(1).max(320);

/** The caller's own identifier of what a message belongs to. */
export const cardIdSchema = inOneLine(z.string().min(1).max(255));

/**
 * A name, a label or the like, which is shown in one line: it holds no control and nothing that turns the
 * direction of what follows it, by which it would be shown as another one. What is around it does not count,
 * since forms and spreadsheets send line breaks there.
 */
export function inOneLine<Text extends z.ZodType<string, string>>(schema: Text): Text {
  return schema.refine(
    (text) => !holdsControl(text.trim()),
    "must not contain control characters",
  ) as Text;
}

/** Who sends: free text, its length in characters as JSON Schema counts them. */
export const sentBySchema = inOneLine(shortTextSchema(64));

/**
 * Text for a contact, at most `maxLength` long. Channels refuse empty and blank texts, and show nothing of one
 * whose marks nobody sees.
 */
export function visibleTextSchema(maxLength: number): z.ZodString {
  return z.string().min(1, { abort: true }).max(maxLength, { abort: true })
    .regex(/\S/, { error: "must not be blank", abort: true })
    .refine((text) => !isBlank(text), "must not be blank");
}

/** A template by its name: this instance's, then the workspace's. */
export const templateNameSchema = z.object({
  name: inOneLine(z.string().trim().min(1).max(512)),
  language: inOneLine(z.string().trim().min(1).max(20)),
});

/** The issues of a template that is named flat: by its id, or by name and language. */
export function findTemplateIssues(named: unknown, path = ""): Issue[] {
  if (typeof named !== "object" || named === null) return [];
  const { templateId, name, language } = named as Readonly<Record<string, unknown>>;
  if (templateId !== undefined) {
    const beside = name === undefined ? "language" : "name";
    return name === undefined && language === undefined
      ? []
      : [{ path: `${path}${beside}`, message: "must not be given beside templateId" }];
  }
  if (name === undefined && language === undefined) {
    return [{ path: `${path}templateId`, message: "is required, or name and language" }];
  }
  const missing = name === undefined ? "name" : language === undefined ? "language" : null;
  return missing === null ? [] : [{ path: `${path}${missing}`, message: "is required" }];
}

/** A template as a call names it: by one of both. */
export interface NamedTemplate {
  readonly templateId?: string | undefined;
  readonly template?: z.infer<typeof templateNameSchema> | undefined;
}
