import * as z from "zod";
import { type Issue, maxIssues } from "../../model/errors.ts";
import { describeIssue } from "../../model/issue_messages.ts";

/** A template as it would go to the official channel, read leniently: what is wrong, the rules say. */

/** No part of a template is as long: what is longer is not read. */
const textSchema = z.string().max(4_096, { abort: true });
const mostComponents = 20;
const mostButtons = 50;

const buttonSchema = z.looseObject({
  type: textSchema.toUpperCase(),
  text: textSchema.optional(),
  url: textSchema.optional(),
  phone_number: textSchema.optional(),
  otp_type: textSchema.toUpperCase().optional(),
});

const componentSchema = z.looseObject({
  type: textSchema.toUpperCase(),
  format: textSchema.toUpperCase().optional(),
  text: textSchema.optional(),
  buttons: z.array(buttonSchema).max(mostButtons).optional(),
  example: z.looseObject({}).optional(),
});

const templateSchema = z.looseObject({
  name: textSchema,
  language: textSchema,
  category: textSchema.toUpperCase().nullish(),
  parameterFormat: textSchema.toUpperCase().default("POSITIONAL"),
  components: z.array(componentSchema).max(mostComponents),
});

export type SubmittedButton = z.infer<typeof buttonSchema>;
export type SubmittedComponent = z.infer<typeof componentSchema>;
export type SubmittedTemplate = z.infer<typeof templateSchema>;

/** A template of the account with the same name, as far as it is known here. */
export interface KnownTemplate {
  readonly language: string;
  readonly status: string;
  /** Since when it is deleted, ISO 8601; null where that is not known. */
  readonly deletedAt: string | null;
}

/** What is known of the account that the template would go to; nothing is assumed of the rest. */
export interface KnownAccount {
  /** As the channel told it last; null where it has not. */
  readonly limit: { readonly used: number; readonly total: number } | null;
  /** Templates with this name. */
  readonly sameName: readonly KnownTemplate[];
  /** ISO 8601. */
  readonly now: string;
}

/** The template, or why it cannot be read as one at all. */
export function readSubmittedTemplate(
  value: unknown,
): { readonly template: SubmittedTemplate } | { readonly issues: readonly Issue[] } {
  const parsed = templateSchema.safeParse(value, { error: describeIssue });
  if (parsed.success) return { template: parsed.data };
  return {
    issues: parsed.error.issues.slice(0, maxIssues)
      .map(({ path, message }) => ({ path: path.join("."), message })),
  };
}

/** A component and its index in `components`. */
export interface Placed<Part> {
  readonly part: Part;
  readonly path: string;
}

/** The components of a type, each with its path. */
export function findComponents(
  { components }: SubmittedTemplate,
  type: string,
): Placed<SubmittedComponent>[] {
  return components.map((part, index) => ({ part, path: `components.${index}` }))
    .filter(({ part }) => part.type === type);
}

/** All buttons, each with its path. */
export function findButtons(template: SubmittedTemplate): Placed<SubmittedButton>[] {
  return findComponents(template, "BUTTONS").flatMap(({ part, path }) =>
    (part.buttons ?? []).map((button, index) => ({
      part: button,
      path: `${path}.buttons.${index}`,
    }))
  );
}

/** Codes have a category with parts of their own. */
export function isAuthentication({ category }: SubmittedTemplate): boolean {
  return category === "AUTHENTICATION";
}
