/**
 * The parts of a received message: one table, from which follow what a provider's reader may tell, what is
 * stored, what records, events, lists, `format=raw` and exports show, and the words of each part.
 */
import type * as z from "zod";
import * as schemas from "./received_schemas.ts";
import type { AnswerOf } from "./response_fields.ts";

type Words = readonly (string | number | undefined)[];

interface PartKind<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** The word in brackets before the part's words; null for a part that only says more of others. */
  readonly label: string | null;
  /** What the part says, for people and models. */
  readonly words: (part: AnswerOf<Schema>) => Words;
}

function says<Schema extends z.ZodType>(
  schema: Schema,
  label: string,
  words: (part: AnswerOf<Schema>) => Words,
): PartKind<Schema> {
  return { schema, label, words };
}

function describes<Schema extends z.ZodType>(schema: Schema): PartKind<Schema> {
  return { schema, label: null, words: () => [] };
}

type Item = NonNullable<AnswerOf<typeof schemas.orderSchema>["items"]>[number];

function describeItem({ quantity, name, productId, price, currency }: Item): string {
  const words = [
    `${quantity ?? 1} ×`,
    name ?? productId ?? "item",
    price && `${price} ${currency ?? ""}`,
  ];
  return words.filter((word) => word !== undefined && word !== "").join(" ").trim();
}

function money(amount: string | undefined, currency: string | undefined): string | undefined {
  return amount === undefined ? undefined : [amount, currency].join(" ").trim();
}

const kindWords = { request: "request", declined: "declined", canceled: "canceled" } as const;

/** Each part by its name in a record. */
export const receivedParts = {
  choice: describes(schemas.choiceSchema),
  location: says(
    schemas.locationSchema,
    "location",
    ({ name, address, latitude, longitude }) => [name, address, `${latitude} ${longitude}`],
  ),
  contacts: says(
    schemas.contactsSchema,
    "contact",
    (cards) => cards.map(({ name, phones }) => [name, ...phones.slice(0, 1)].join(" ")),
  ),
  reaction: says(schemas.reactionSchema, "reaction", ({ emoji }) => [emoji ?? undefined]),
  order: says(schemas.orderSchema, "order", ({ note, title, items, total, currency }) => [
    note,
    title,
    ...items.map(describeItem),
    money(total, currency),
  ]),
  product: says(
    schemas.productSchema,
    "product",
    ({ name, productId, price, currency }) => [name ?? productId, money(price, currency)],
  ),
  flowAnswer: says(schemas.flowAnswerSchema, "form", ({ data }) =>
    Object.entries(data)
      .filter(([, value]) => value !== null && value !== "")
      .map(([name, value]) => `${name}: ${typeof value === "string" ? value : writeJson(value)}`)),
  payment: says(
    schemas.paymentSchema,
    "payment",
    ({ kind, amount, currency, note, items, key }) => [
      kind in kindWords ? kind : undefined,
      note,
      ...(items ?? []).map(describeItem),
      money(amount, currency),
      key,
    ],
  ),
  poll: says(
    schemas.pollSchema,
    "poll",
    ({ question, options }) => [question, options.length === 0 ? undefined : options.join(" / ")],
  ),
  pollVote: says(schemas.pollVoteSchema, "poll vote", ({ options }) => options),
  event: says(
    schemas.eventSchema,
    "event",
    ({ name, description, startsAt, place, isCanceled }) => [
      name,
      description,
      startsAt,
      place,
      isCanceled && "canceled",
    ],
  ),
  eventAnswer: says(schemas.eventAnswerSchema, "event answer", ({ answer }) => [answer]),
  menu: says(schemas.menuSchema, "menu", ({ title, body, footer, items }) => [
    ...[title, body, footer],
    ...items.map(({ title, description, url, phone, code }) =>
      [title, description, url ?? phone ?? code].filter((word) => word !== undefined).join(" ")
    ),
  ]),
  groupInvite: says(schemas.groupInviteSchema, "group invitation", ({ name }) => [name]),
  call: says(schemas.callSchema, "missed call", ({ kind }) => [kind]),
  preview: describes(schemas.previewSchema),
  context: describes(schemas.contextSchema),
  referral: describes(schemas.referralSchema),
  errors: describes(schemas.errorsSchema),
  unsupportedType: describes(schemas.unsupportedTypeSchema),
  groupId: describes(schemas.groupIdSchema),
  isViewOnce: describes(schemas.viewOnceSchema),
  isGif: describes(schemas.gifSchema),
  isImported: describes(schemas.importedSchema),
};

type Parts = typeof receivedParts;
export type ReceivedPartName = keyof Parts;

/** A part as it is read, stored and shown. */
export type ReceivedPart<Name extends ReceivedPartName> = AnswerOf<Parts[Name]["schema"]>;

/** The parts that a message has. */
export type ReceivedParts = {
  readonly [Name in ReceivedPartName]?: ReceivedPart<Name> | undefined;
};

export const receivedPartNames = Object.keys(receivedParts) as readonly ReceivedPartName[];

/** The schema of each part by its name. */
export const receivedPartSchemas = Object.fromEntries(
  receivedPartNames.map((name) => [name, receivedParts[name].schema]),
) as unknown as { readonly [Name in ReceivedPartName]: Parts[Name]["schema"] };

type OptionalPartName = Exclude<ReceivedPartName, "choice">;

/**
 * A record's members. A part that the message lacks is left out: most messages have none. `choice` alone
 * is null then, as it always was.
 */
export const receivedPartFields = {
  ...Object.fromEntries(
    receivedPartNames.map((name) => [name, receivedParts[name].schema.optional()]),
  ) as unknown as { readonly [Name in OptionalPartName]: z.ZodOptional<Parts[Name]["schema"]> },
  choice: receivedParts.choice.schema.nullable(),
};

/** What a part says, by the table: nothing, for a part that only says more of others. */
export function writePart<Name extends ReceivedPartName>(
  name: Name,
  part: ReceivedPart<Name>,
): readonly string[] {
  const { words } = receivedParts[name] as unknown as {
    readonly words: (part: ReceivedPart<Name>) => Words;
  };
  return words(part).map((word) => `${word ?? ""}`.trim()).filter((word) => word !== "");
}

/** A value nested too deep for JSON.stringify becomes an ellipsis. */
function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "…";
  }
}
