/**
 * The longest texts and the counts that each kind of channel takes, checked before it is called. Lengths are
 * in Unicode code points, as JSON Schema's `maxLength` counts: an emoji of two UTF-16 units is one.
 */
import type { Issue } from "../model/errors.ts";
import { listSections } from "../model/content_parts.ts";
import type { ContentOf, MessageContent } from "../model/message_content.ts";
import type { PaymentPart } from "../model/payment.ts";

/** The limits of one kind of channel. */
export interface ContentLimits {
  readonly text: number;
  readonly caption: number;
  /** The text of a message with options, a link or a request. */
  readonly body: number;
  readonly headerText: number;
  readonly footer: number;
  readonly buttonId: number;
  readonly buttonTitle: number;
  readonly linkTitle: number;
  readonly listTitle: number;
  readonly listButton: number;
  readonly rowId: number;
  readonly rowTitle: number;
  readonly rowDescription: number;
  readonly sectionTitle: number;
  /** The name of an item of an order. */
  readonly itemName: number;
  /** A location's name and address, a card's name and company. */
  readonly label: number;
  /** Whether two buttons of a message may have one title. */
  readonly takesEqualTitles: boolean;
}

/**
 * The official channel. Sources: Text messages page (4,096); Image, Video and Document messages pages
 * (captions 1,024); Interactive list messages page (header 60, button 20, row id 200, row title 24, row
 * description 72, section title 24); Interactive reply buttons page (id 256, title 20 and unique, header and
 * footer 60, body 1,024); Interactive call-to-action URL button page (display text 20). For the body of a
 * list the page says 4,096 and Meta's OpenAPI description 1,024; we use the smaller one, which satisfies
 * both. Orders page (item name 60). Location and Contacts messages pages name no limit; 1,000 is ours.
 */
export const officialLimits: ContentLimits = {
  text: 4_096,
  caption: 1_024,
  body: 1_024,
  headerText: 60,
  footer: 60,
  buttonId: 256,
  buttonTitle: 20,
  linkTitle: 20,
  listTitle: 60,
  listButton: 20,
  rowId: 200,
  rowTitle: 24,
  rowDescription: 72,
  sectionTitle: 24,
  itemName: 60,
  label: 1_000,
  takesEqualTitles: false,
};

/**
 * The gateways. Neither Z-API nor Evolution documents a limit. WhatsApp's own clients accept texts of up to
 * 65,536 characters. The bound on all other parts is ours: far above what a phone shows, and low enough to
 * catch a mistake (a whole document as a title).
 */
export const gatewayLimits: ContentLimits = {
  text: 65_536,
  caption: 65_536,
  body: 65_536,
  headerText: 1_024,
  footer: 1_024,
  buttonId: 1_024,
  buttonTitle: 1_024,
  linkTitle: 1_024,
  listTitle: 1_024,
  listButton: 1_024,
  rowId: 1_024,
  rowTitle: 1_024,
  rowDescription: 1_024,
  sectionTitle: 1_024,
  itemName: 1_024,
  label: 1_024,
  takesEqualTitles: true,
};

/** An issue for each text of a content that is too long. A template's were checked when it was filled. */
export function checkLimits(content: MessageContent, limits: ContentLimits): Issue[] {
  switch (content.messageType) {
    case "text":
      return checkLength("message", content.message, limits.text);
    case "image":
    case "video":
    case "document":
      return checkLength("message", content.message, limits.caption);
    case "audio":
    case "voice":
    case "sticker":
    case "reaction":
    case "template":
      return [];
    case "location":
      return [
        ...checkLength("location.name", content.location.name, limits.label),
        ...checkLength("location.address", content.location.address, limits.label),
      ];
    case "contacts":
      return checkCards(content, limits);
    case "option_list":
      return checkList(content, limits);
    case "buttons":
      return checkButtons(content, limits);
    case "payment_request":
      return checkPaymentTexts(content, limits);
    case "link_button":
      return [
        ...checkLength("message", content.message, limits.body),
        ...checkLength("linkButton.title", content.linkButton.title, limits.linkTitle),
      ];
    case "location_request":
    case "contact_request":
    case "payment_status":
      return checkLength("message", content.message, limits.body);
  }
}

/** An issue where `text` is longer than `max`. */
export function checkLength(path: string, text: string | undefined, max: number): Issue[] {
  // Never longer in code points than in units: most texts end here.
  if (text === undefined || text.length <= max) return [];
  const length = [...text].length;
  return length <= max
    ? []
    : [{ path, message: `has ${length} characters; this channel allows at most ${max}` }];
}

function checkCards({ contacts }: ContentOf<"contacts">, { label }: ContentLimits): Issue[] {
  return contacts.flatMap(({ name, organization }, index) => [
    ...checkLength(`contacts.${index}.name`, name, label),
    ...checkLength(`contacts.${index}.organization`, organization, label),
  ]);
}

function checkPaymentTexts(
  { message, payment }: ContentOf<"payment_request">,
  { body, itemName }: ContentLimits,
): Issue[] {
  return [...checkLength("message", message, body), ...checkItemNames(payment, itemName)];
}

/** Without items the description is the name of the only one. */
export function checkItemNames({ note, items }: PaymentPart, itemName: number): Issue[] {
  return [
    ...(items === undefined ? checkLength("payment.description", note, itemName) : []),
    ...(items ?? []).flatMap(({ name }, index) =>
      checkLength(`payment.items.${index}.name`, name, itemName)
    ),
  ];
}

function checkButtons(
  { message, header, footer, buttons }: ContentOf<"buttons">,
  limits: ContentLimits,
): Issue[] {
  return [
    ...checkLength("message", message, limits.body),
    ...buttons.flatMap(({ id, title }, index) => [
      ...checkLength(`buttons.${index}.id`, id, limits.buttonId),
      ...checkLength(`buttons.${index}.title`, title, limits.buttonTitle),
      ...(limits.takesEqualTitles || buttons.findIndex((other) => other.title === title) === index
        ? []
        : [{ path: `buttons.${index}.title`, message: "is not unique, as this channel requires" }]),
    ]),
    ...checkLength("header.text", header?.text, limits.headerText),
    ...checkLength("footer", footer, limits.footer),
  ];
}

function checkList(
  { message, optionList }: ContentOf<"option_list">,
  limits: ContentLimits,
): Issue[] {
  const { title, buttonLabel, sections } = optionList;
  return [
    ...checkLength("message", message, limits.body),
    ...checkLength("optionList.title", title, limits.listTitle),
    ...checkLength("optionList.buttonLabel", buttonLabel, limits.listButton),
    ...listSections(optionList).flatMap((section, place) => {
      const own = sections === undefined ? "optionList" : `optionList.sections.${place}`;
      return [
        ...checkLength(`${own}.title`, section.title, limits.sectionTitle),
        ...section.options.flatMap(({ id, title, description }, row) => [
          ...checkLength(`${own}.options.${row}.id`, id, limits.rowId),
          ...checkLength(`${own}.options.${row}.title`, title, limits.rowTitle),
          ...checkLength(`${own}.options.${row}.description`, description, limits.rowDescription),
        ]),
      ];
    }),
  ];
}
