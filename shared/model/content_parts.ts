/**
 * The parts of a message by their names in `content`: one table, from which follow the types of stored
 * contents, what records, events and `format=raw` show, and how the readable history writes each.
 */
import * as z from "zod";
import { fitFields } from "./message_fit.ts";
import { paymentStatusPartSchema } from "./payment_status.ts";
import {
  type ReceivedPart,
  type ReceivedPartName,
  receivedPartNames,
  receivedParts,
  receivedPartSchemas,
  writePart,
} from "./received_parts.ts";
import type { AnswerOf } from "./response_fields.ts";

const text = (description: string): z.ZodString => z.string().meta({ description });

const optionSchema = z.object({
  id: text("Id of the option."),
  title: text("Title of the option."),
  description: text("Second line of the option.").optional(),
});
const optionsSchema = z.array(optionSchema).meta({ description: "The options." });

interface SentPart<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** The lines that the part adds to a message's words; none for a part that only says more of others. */
  readonly lines: (part: AnswerOf<Schema>) => readonly string[];
  readonly stands: "above" | "below";
}

function writes<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  lines: (part: AnswerOf<Schema>) => readonly string[],
  stands: "above" | "below" = "below",
): SentPart<Schema> {
  return { schema: schema.meta({ description }), lines, stands };
}

function describes<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
): SentPart<Schema> {
  return writes(description, schema, () => []);
}

/** A part that has its meaning with its schema, and adds no line. */
function says<Schema extends z.ZodType>(schema: Schema): SentPart<Schema> {
  return { schema, lines: () => [], stands: "below" };
}

type Option = AnswerOf<typeof optionSchema>;

function writeOption({ title, description }: Option): string {
  return description ? `- ${title}: ${description}` : `- ${title}`;
}

/** What a file above a message may be. */
export const headerKinds = ["image", "video", "document"] as const;

/** Each part of a sent message, in the order in which their lines stand. */
export const sentParts = {
  header: writes(
    "What stands above the text: a text, or the kind of the message's file.",
    z.object({
      text: text("The text above.").optional(),
      type: z.enum(headerKinds).meta({ description: "Kind of the file above." })
        .optional(),
    }),
    ({ text }) => text === undefined ? [] : [text],
    "above",
  ),
  optionList: writes(
    "The options to choose from, in one list or in sections.",
    z.object({
      title: text("Title of the list."),
      buttonLabel: text("Text of the button that opens the list."),
      options: optionsSchema.optional(),
      sections: z.array(z.object({ title: text("Title of the section."), options: optionsSchema }))
        .meta({ description: "The sections, in place of `options`." }).optional(),
    }),
    ({ options = [], sections = [] }) => [
      ...options.map(writeOption),
      ...sections.flatMap(({ title, options }) => [title, ...options.map(writeOption)]),
    ],
  ),
  buttons: writes(
    "The buttons to choose from.",
    z.array(z.object({ id: text("Id of the button."), title: text("Title of the button.") })),
    (buttons) => buttons.map(writeOption),
  ),
  linkButton: writes(
    "The button that opens a web address.",
    z.object({ title: text("Title of the button."), url: text("The address, https.") }),
    ({ title, url }) => [`${title}: ${url}`],
  ),
  footer: writes("The small text below.", z.string(), (footer) => [footer]),
  template: describes(
    "The sent template, in the official channel's format.",
    z.object({
      name: text("Name of the template."),
      language: text("Language of the template."),
      components: z.array(z.record(z.string(), z.unknown())).meta({
        description: "Its filled parts.",
      }),
    }),
  ),
  paymentStatus: says(paymentStatusPartSchema),
  linkPreview: describes("Whether the channel shows a preview of a link.", z.boolean()),
  viewOnce: describes("Whether the file can be seen once only.", z.boolean()),
  rendering: says(fitFields.rendering.unwrap()),
  reduced: says(fitFields.reduced.unwrap()),
};

type SentParts = typeof sentParts;
export type SentPartName = keyof SentParts;

export const sentPartNames = Object.keys(sentParts) as readonly SentPartName[];

/** Each part with its meaning. */
export const partSchemas = {
  ...Object.fromEntries(
    sentPartNames.map((name) => [name, sentParts[name].schema]),
  ) as unknown as { readonly [Name in SentPartName]: SentParts[Name]["schema"] },
  ...receivedPartSchemas,
};

export type PartName = keyof typeof partSchemas;

export const partNames = Object.keys(partSchemas) as readonly PartName[];

/** A part as it is stored. */
export type Part<Name extends PartName> = AnswerOf<(typeof partSchemas)[Name]>;

/** The parts that a message has. */
export type ShownParts = { readonly [Name in PartName]?: Part<Name> | undefined };

/** The parts of a sent message that its record shows where it has them. A template's are not repeated. */
export const shownSentParts = Object.fromEntries(
  sentPartNames.filter((name) => name !== "template").map((
    name,
  ) => [name, partSchemas[name].optional()]),
) as unknown as {
  readonly [Name in Exclude<SentPartName, "template">]: z.ZodOptional<
    (typeof partSchemas)[Name]
  >;
};

/** What the parts of a sent message say: the lines above its words, and those below. */
export function writeSentParts(
  content: ShownParts,
): { readonly above: readonly string[]; readonly below: readonly string[] } {
  const write = (place: "above" | "below"): readonly string[] =>
    sentPartNames.flatMap((name) => {
      const { lines, stands } = sentParts[name] as SentPart<z.ZodType>;
      const part = content[name];
      return part === undefined || stands !== place ? [] : lines(part);
    });
  return { above: write("above"), below: [...write("below"), ...writeRequest(content.payment)] };
}

/** What a payment request of ours asks for, below its words. */
function writeRequest(payment: ShownParts["payment"]): readonly string[] {
  const { reference, amount, currency, goods } = payment ?? {};
  // What arrives does not say what is sold.
  return goods === undefined ? [] : [`${amount} ${currency} (${reference})`];
}

/** The words of a message that is one part and has no text: `[location] Loja, Rua 1`; null for any other. */
export function writeOnlyPart(content: ShownParts): string | null {
  const name = receivedPartNames.find((name) =>
    receivedParts[name].label !== null && content[name] !== undefined
  );
  if (name === undefined) return null;
  const words = writePart(name, content[name] as ReceivedPart<ReceivedPartName>);
  return [`[${receivedParts[name].label}]`, words.join(", ")].join(" ").trim();
}

/** The options of a list in their order, through all sections. */
export function listOptions(
  { options = [], sections = [] }: Pick<Part<"optionList">, "options" | "sections">,
): readonly Option[] {
  return [...options, ...sections.flatMap(({ options }) => options)];
}

/** The sections of a list; one without a title where it has none. */
export function listSections(
  { options, sections }: Pick<Part<"optionList">, "options" | "sections">,
): readonly { readonly title?: string; readonly options: readonly Option[] }[] {
  return sections ?? [{ options: options ?? [] }];
}
