/** The parts of a message as a request gives them, and the rules within each. */
import * as z from "zod";
import { headerKinds, partSchemas } from "./content_parts.ts";
import { interactiveRenderings } from "./message_fit.ts";
import type { OptionList } from "./message_content.ts";
import type { Issue } from "./errors.ts";
import { checkMediaUrl, lowerScheme } from "./media_url.ts";
import { sanitizePhone } from "./phone.ts";
import { findUrlProblem } from "./public_url.ts";
import { describeField, visibleTextSchema } from "./request_fields.ts";

const idSchema = z.string().min(1).max(256);
const webAddressSchema = z.string().min(1).max(2_048);

const optionSchema = z.object({
  id: describeField("Id of the option. Default: its position.", z.string().min(1).max(200))
    .optional(),
  title: describeField("Title of the option.", visibleTextSchema(1_000)),
  description: describeField("Second line of the option.", z.string().min(1).max(1_000)).optional(),
});
const optionsSchema = describeField("The options.", z.array(optionSchema).min(1).max(10));

/** Specification, section 2; a missing `id` is derived from the position. */
export const optionListSchema = z.object({
  title: describeField("Title of the list.", visibleTextSchema(1_000)),
  buttonLabel: describeField("Text of the button that opens the list.", visibleTextSchema(1_000)),
  options: optionsSchema.optional(),
  sections: describeField(
    "The sections, in place of `options`.",
    z.array(z.object({
      title: describeField("Title of the section.", visibleTextSchema(1_000)),
      options: optionsSchema,
    })).min(1).max(10),
  ).optional(),
}).meta({
  description: "The options to choose from: `options`, or in their place `sections`; 10 in all.",
});

export const buttonsSchema = z.array(
  z.object({
    id: describeField("Id of the button. Default: its position.", idSchema).optional(),
    title: describeField("Title of the button.", visibleTextSchema(1_000)),
  }),
).min(1).max(3).meta({ description: partSchemas.buttons.description });

let emojiPattern: RegExp | undefined;

/**
 * Whether a text is one emoji as Unicode has it for interchange; a bare sign, such as ❤, is one with the
 * variation that colors it. The pattern is made with the first reaction: reading the list of all emoji took
 * 165 million instructions, a seventh of the start of send-message.
 */
function isEmoji(text: string): boolean {
  emojiPattern ??= new RegExp("^\\p{RGI_Emoji}$", "v");
  return emojiPattern.test(text) || emojiPattern.test(`${text}\uFE0F`);
}

const emojiSchema = z.string().max(64, { abort: true }).refine(isEmoji, "must be one emoji");

export const reactionRequestSchema = z.object({
  messageId: describeField("Id of the message, sent or received, of the same contact.", z.uuid()),
  emoji: describeField("The emoji; null takes the reaction back.", emojiSchema.nullable()),
}).meta({ description: "The reaction to another message." });

export const headerSchema = z.object({
  text: describeField("The text above.", visibleTextSchema(1_000)).optional(),
  type: describeField("Kind of the file above.", z.enum(headerKinds)).optional(),
  mediaUrl: describeField("Public https URL of the file.", webAddressSchema.overwrite(lowerScheme))
    .optional(),
  mediaId: describeField("Id of a file that media-api keeps.", z.uuid()).optional(),
}).meta({
  description:
    "What stands above the buttons: `text`, or a file by `type` with `mediaUrl` or `mediaId`.",
});

export const linkButtonSchema = z.object({
  title: describeField("Title of the button.", visibleTextSchema(1_000)),
  url: describeField("The address that it opens, https.", webAddressSchema.overwrite(lowerScheme)),
}).meta({ description: partSchemas.linkButton.description });

export const locationRequestSchema = z.object({
  latitude: describeField("Degrees north.", z.number().min(-90).max(90)),
  longitude: describeField("Degrees east.", z.number().min(-180).max(180)),
  name: describeField("Name of the place.", visibleTextSchema(1_000)).optional(),
  address: describeField("Address of the place.", visibleTextSchema(1_000)).optional(),
}).meta({ description: "A position, in degrees north and east." });

const cardPhoneSchema = z.string().max(40, { abort: true }).refine(
  (phone) => {
    const { length } = sanitizePhone(phone);
    return /^\+?[0-9][0-9 ().-]*$/.test(phone) && length >= 3 && length <= 15;
  },
  "must be a phone: 3 to 15 digits, with spaces, a leading +, hyphens, dots or parentheses",
);

const emailSchema = z.string().max(320, { abort: true }).regex(
  /^[^\s@]+@[^\s@]+$/,
  "must be an e-mail address",
);

export const contactsRequestSchema = z.array(z.object({
  name: describeField("Name on the card.", visibleTextSchema(1_000)),
  phones: describeField("Phones, best with country code.", z.array(cardPhoneSchema).min(1).max(5)),
  emails: describeField("E-mail addresses.", z.array(emailSchema).max(5)).optional(),
  organization: describeField("Company.", visibleTextSchema(1_000)).optional(),
  urls: describeField("Web addresses.", z.array(webAddressSchema).max(5)).optional(),
})).min(1).max(10).meta({ description: "Contact cards." });

export const renderingSchema = z.enum(interactiveRenderings).meta({
  description:
    "`native` sends the channel's own buttons, `text` a numbered text; `auto` is native where the channel shows it dependably. Default: the instance's `interactiveRendering`.",
});

type WithId = { readonly id?: string | undefined };
const idsSchema = z.array(z.object({ id: z.string().optional() })).max(10);

/** The issues of ids that stand twice. A missing id is the position, counted from `first`. */
export function checkOptionIds(options: unknown, path: string): Issue[] {
  if (options === undefined) return [];
  const parsed = idsSchema.safeParse(options);
  return parsed.success ? findDoubles(parsed.data.map((option) => ({ ...option, path }))) : [];
}

/** Each option's place within its own list names it. */
function findDoubles(options: readonly (WithId & { readonly path: string })[]): Issue[] {
  const ids = new Set<string>();
  const places = new Map<string, number>();
  return options.flatMap((option, index) => {
    const { path } = option;
    const place = places.get(path) ?? 0;
    places.set(path, place + 1);
    const id = optionId(option, index);
    if (ids.has(id)) return [{ path: `${path}.${place}.id`, message: "is not unique" }];
    ids.add(id);
    return [];
  });
}

const listSchema = z.object({
  options: idsSchema.optional().catch(undefined),
  sections: z.array(z.object({ options: idsSchema })).max(10).optional().catch(undefined),
});

/** The rules of an option list, independently of its other issues. */
export function checkOptions(optionList: unknown): Issue[] {
  if (optionList === undefined) return [];
  const parsed = listSchema.safeParse(optionList);
  if (!parsed.success) return [];
  const given = optionList as Readonly<Record<string, unknown>>;
  if (given["options"] === undefined && given["sections"] === undefined) {
    return [{ path: "optionList.options", message: "is required, or sections" }];
  }
  const { options = [], sections = [] } = parsed.data;
  const all = [
    ...options.map((option) => ({ ...option, path: "optionList.options" })),
    ...sections.flatMap((section, index) =>
      section.options.map((option) => ({
        ...option,
        path: `optionList.sections.${index}.options`,
      }))
    ),
  ];
  return [
    ...(given["options"] !== undefined && given["sections"] !== undefined
      ? [{ path: "optionList.sections", message: "cannot be sent with options: send one of them" }]
      : []),
    ...(sections.length > 0 && all.length > 10
      ? [{ path: "optionList.sections", message: "must not have more than 10 options in all" }]
      : []),
    ...findDoubles(all),
  ];
}

/** The option's id, or its position (from 1) when it has none. */
function optionId(option: WithId, index: number): string {
  return option.id ?? String(index + 1);
}

/** Options with their ids; `first` is the place of the first one. */
export function numberOptions<Option extends WithId>(
  options: readonly Option[],
  first = 0,
): (Omit<Option, "id"> & { id: string })[] {
  return options.map((option, index) => ({ ...option, id: optionId(option, first + index) }));
}

/** A list with the ids of all its options, counted through its sections. */
export function withOptionIds(
  { title, buttonLabel, options, sections }: z.infer<typeof optionListSchema>,
): OptionList {
  if (sections === undefined) {
    return { title, buttonLabel, options: numberOptions(options ?? []) };
  }
  let first = 0;
  const numbered = sections.map((section) => {
    const named = numberOptions(section.options, first);
    first += named.length;
    return { title: section.title, options: named };
  });
  return { title, buttonLabel, sections: numbered };
}

const looseHeaderSchema = headerSchema.partial().catch({});

/** A header is a text, or a file of its type. */
export function checkHeader(header: unknown): Issue[] {
  if (typeof header !== "object" || header === null) return [];
  const { type, mediaUrl, mediaId } = looseHeaderSchema.parse(header);
  const given = new Set(
    Object.entries(header).flatMap(([name, value]) => value === undefined ? [] : [name]),
  );
  const hasFile = given.has("mediaUrl") || given.has("mediaId");
  if (!given.has("text") && !given.has("type") && !hasFile) {
    return [{ path: "header", message: "must have text, or type with mediaUrl or mediaId" }];
  }
  if (given.has("text")) {
    return ["type", "mediaUrl", "mediaId"].filter((name) => given.has(name)).map((name) => ({
      path: `header.${name}`,
      message: "cannot be sent with text: send one of them",
    }));
  }
  const isDouble = mediaUrl !== undefined && mediaId !== undefined;
  const problem = mediaUrl === undefined || type === undefined
    ? null
    : checkMediaUrl(mediaUrl, type);
  return [
    ...(given.has("type") ? [] : [{ path: "header.type", message: "is required for a file" }]),
    ...(hasFile ? [] : [{ path: "header.mediaUrl", message: "is required, or mediaId" }]),
    ...(isDouble
      ? [{ path: "header.mediaId", message: "cannot be sent with mediaUrl: send one of them" }]
      : []),
    ...(problem === null ? [] : [{ path: "header.mediaUrl", message: problem.message }]),
  ];
}

const linkedSchema = z.object({ url: z.string().max(2_048) });

/** The address of a link button is a public https URL. */
export function checkLinkButton(linkButton: unknown): Issue[] {
  if (linkButton === undefined) return [];
  const parsed = linkedSchema.safeParse(linkButton);
  if (!parsed.success) return [];
  const message = findUrlProblem(lowerScheme(parsed.data.url), { field: "url" });
  return message === null ? [] : [{ path: "linkButton.url", message }];
}

const linkedCardsSchema = z.array(
  z.object({ urls: z.array(z.string().max(2_048)).max(5).optional() }),
).max(10);

/** The addresses on a card are complete URLs. */
export function checkContacts(contacts: unknown): Issue[] {
  if (contacts === undefined) return [];
  const parsed = linkedCardsSchema.safeParse(contacts);
  if (!parsed.success) return [];
  return parsed.data.flatMap(({ urls = [] }, card) =>
    urls.flatMap((url, index) => {
      const message = findUrlProblem(url, { field: "url", allowsPrivateHosts: true });
      return message === null ? [] : [{ path: `contacts.${card}.urls.${index}`, message }];
    })
  );
}
