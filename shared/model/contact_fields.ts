/** The fields of a contact that callers write, each with its form in a request and in an answer. */
import * as z from "zod";
import { freeObjectSchema } from "./bounded_fields.ts";
import { inOneLine } from "./request_fields.ts";

/** A text. Null and an empty text clear it: forms and spreadsheets send empty texts for empty fields. */
function text<Written extends z.ZodType>(
  description: string,
  written: Written,
): {
  readonly written: z.ZodOptional<z.ZodNullable<Written>>;
  readonly shown: z.ZodNullable<z.ZodString>;
} {
  return {
    written: written.nullable().optional().meta({ description }),
    shown: z.string().nullable().meta({ description }),
  };
}

function flag(description: string): {
  readonly written: z.ZodOptional<z.ZodBoolean>;
  readonly shown: z.ZodBoolean;
} {
  return {
    written: z.boolean().optional().meta({ description }),
    shown: z.boolean().meta({ description }),
  };
}

const shortText = inOneLine(z.string().max(500));
const labels = "Custom fields chosen by the caller, at most 32 KiB as JSON.";

/** Fields that both create and update write (specification, section 2). */
const sharedFields = {
  name: text("Name.", shortText),
  email: text(
    "E-mail address.",
    z.union([z.string().trim().max(0), z.email().max(320)], "must be an e-mail address"),
  ),
  company: text("Company.", shortText),
  jobTitle: text("Job title.", shortText),
  notes: text("Free-form notes.", z.string().max(10_000)),
  utmSource: text("Campaign source (UTM).", shortText),
  utmMedium: text("Campaign medium (UTM).", shortText),
  utmCampaign: text("Campaign name (UTM).", shortText),
  customLabels: {
    written: freeObjectSchema(32 * 1024).nullable().optional().meta({ description: labels }),
    shown: z.record(z.string(), z.unknown()).meta({ description: labels }),
  },
};

/** Fields that only an update writes. */
const updatedFields = {
  isFavorite: flag("Whether the contact is a favorite."),
  isArchived: flag("Whether the contact is archived."),
  isBlocked: flag("Whether the contact is blocked: sending to a blocked contact is rejected."),
};

type Fields = Readonly<Record<string, { readonly written: z.ZodType; readonly shown: z.ZodType }>>;
type Forms<All extends Fields, Form extends "written" | "shown"> = {
  readonly [Name in keyof All]: All[Name][Form];
};

function formsOf<All extends Fields, Form extends "written" | "shown">(
  fields: All,
  form: Form,
): Forms<All, Form> {
  const forms = Object.entries(fields).map(([name, field]) => [name, field[form]]);
  return Object.fromEntries(forms) as Forms<All, Form>;
}

/** What creating a contact takes besides its names and tags. */
export const createdContactFields = formsOf(sharedFields, "written");
/** What updating a contact takes besides its names and tags. */
export const updatedContactFields = formsOf({ ...sharedFields, ...updatedFields }, "written");
/** How an answer shows them. */
export const shownContactFields = formsOf({ ...sharedFields, ...updatedFields }, "shown");
