/** What happens to a message while its contact's conversation window is closed, as calls and answers say it. */
import { cutCharacters } from "./cut_text.ts";
import * as z from "zod";
import { variablesSchema } from "./bounded_fields.ts";
import { maxFilledLength } from "./placeholders.ts";
import {
  findTemplateIssues,
  idSchema,
  type NamedTemplate,
  templateNameSchema,
} from "./request_fields.ts";

const templateOfRungSchema = z.object({
  templateId: idSchema.meta({
    description: "A template of this instance, or of its workspace.",
  }).optional(),
  name: templateNameSchema.shape.name.meta({
    description:
      "With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`.",
  }).optional(),
  language: templateNameSchema.shape.language.meta({ description: "Language of `name`." })
    .optional(),
  variables: variablesSchema().optional().meta({
    description:
      "Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message.",
  }),
}).superRefine((named, context) => {
  for (const { path, message } of findTemplateIssues(named)) {
    context.addIssue({ code: "custom", path: [path], message });
  }
});

const rungNames = ["directSend", "template", "invite"] as const;

const rungSchema = z.object({
  directSend: z.literal("utility").meta({
    description:
      "As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.",
  }).optional(),
  template: templateOfRungSchema.meta({
    description:
      "This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters.",
  }).optional(),
  invite: templateOfRungSchema.meta({
    description:
      "This template goes now, as a message of its own, and the message waits until the person writes.",
  }).optional(),
}).refine(
  (rung) => rungNames.filter((name) => rung[name] !== undefined).length === 1,
  `must have exactly one of ${rungNames.join(", ")}`,
);

/** What a call asks for while the window is closed: tried from the first. */
export const outsideWindowSchema = z.array(rungSchema).min(1).max(5);

export const outsideWindowField = {
  outsideWindow: outsideWindowSchema.meta({
    description:
      "What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call.",
  }).optional(),
};

export type OutsideWindow = z.infer<typeof outsideWindowSchema>;

/** The templates that a ladder names, in its order. */
export function listLadderTemplates(outsideWindow: OutsideWindow): NamedTemplate[] {
  return outsideWindow.flatMap(({ template, invite }): NamedTemplate[] => {
    const { templateId, name, language } = template ?? invite ?? {};
    if (name !== undefined && language !== undefined) return [{ template: { name, language } }];
    return templateId === undefined ? [] : [{ templateId }];
  });
}

/** The variables of the templates that a ladder names. */
export function listLadderVariables(
  outsideWindow: OutsideWindow,
): Readonly<Record<string, unknown>>[] {
  return outsideWindow.map(({ template, invite }) => (template ?? invite)?.variables ?? {});
}

/** How a message with a ladder goes. */
export const sentAsKinds = ["message", "direct_send", "template", "invitation"] as const;
export type SentAs = (typeof sentAsKinds)[number];

/** What an answer, a record and an event say of it; each is left out where there is nothing to say. */
export const ladderFields = {
  sentAs: z.enum(sentAsKinds).meta({
    description:
      "How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.",
  }).optional(),
  template: z.object({
    templateId: z.uuid().meta({ description: "Id of the template." }),
    name: z.string().meta({ description: "Name of the template." }),
  }).meta({
    description: "The template that goes in the message's place, or as an invitation.",
  }).optional(),
  invitationId: z.uuid().meta({
    description: "The invitation for whose answer the message waits, or has waited.",
  }).optional(),
};

/** A record's, in which an invitation says what it is for. */
export const ladderRecordFields = {
  ...ladderFields,
  invitationFor: z.uuid().meta({
    description: "Of an invitation: the first message that waits for its answer.",
  }).optional(),
};

/** What answers say of a ladder. */
export interface ShownLadder {
  readonly sentAs?: SentAs | undefined;
  readonly template?: { readonly templateId: string; readonly name: string } | undefined;
  readonly invitationId?: string | undefined;
}

const ladderNames = Object.keys(ladderFields) as readonly (keyof ShownLadder)[];

/** The members of an outcome that answers show of its ladder. */
export function readShownLadder(outcome: ShownLadder): ShownLadder {
  const shown = ladderNames.filter((name) => outcome[name] !== undefined)
    .map((name) => [name, outcome[name]]);
  return Object.fromEntries(shown) as ShownLadder;
}

/** A rung that could not be taken, and why. */
export const passedRungSchema = z.object({
  rung: z.string().meta({ description: "`directSend`, `template` or `invite`." }),
  reason: z.string().meta({ description: "Why it could not be taken." }),
});
export type PassedRung = Readonly<z.infer<typeof passedRungSchema>>;

const maxMessageLength = 900;

/** A text as a variable's value stands for it: on one line, with at most 900 characters. */
export function toVariableText(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return cutCharacters(line, maxMessageLength) === line
    ? line
    : `${cutCharacters(line, maxMessageLength - 1).trimEnd()}…`;
}

const messagePlaceholder = /\{\{\s*message\s*\}\}/gu;

/**
 * Variables whose texts have the message in place of `{{message}}`; null where one would be longer than any
 * filled text may be.
 */
export function fillMessagePlaceholder(
  variables: Readonly<Record<string, unknown>>,
  text: string,
): Record<string, unknown> | null {
  const value = toVariableText(text);
  const filled: [string, unknown][] = [];
  for (const [key, given] of Object.entries(variables)) {
    if (typeof given !== "string" || !given.includes("{{")) {
      filled.push([key, given]);
      continue;
    }
    const parts = given.split(messagePlaceholder);
    const kept = parts.reduce((length, part) => length + part.length, 0);
    if (kept + (parts.length - 1) * value.length > maxFilledLength) return null;
    filled.push([key, parts.join(value)]);
  }
  return Object.fromEntries(filled);
}
