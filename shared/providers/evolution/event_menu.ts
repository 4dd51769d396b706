/** Reads a template, buttons or a list of another business from WhatsApp's own message object. */
import { readList, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { defined, hasObject } from "../webhooks/values.ts";
import { parseJson, readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";

type Menu = ReceivedPart<"menu">;
type MenuItem = Menu["items"][number];

const MAX_ITEMS = 100;
const files = ["imageMessage", "videoMessage", "documentMessage"];

/** Members that hold a menu. */
export const menuMembers: readonly string[] = [
  ...["templateMessage", "buttonsMessage", "listMessage", "interactiveMessage"],
];

/** The menu of a message; undefined for none. */
export function readEvolutionMenu(message: unknown): Menu | undefined {
  if (hasObject(message, "templateMessage")) return readTemplate(message);
  if (hasObject(message, "buttonsMessage")) {
    return readButtons(readValue(message, "buttonsMessage"));
  }
  if (hasObject(message, "listMessage")) return readListMenu(readValue(message, "listMessage"));
  return hasObject(message, "interactiveMessage")
    ? readInteractive(readValue(message, "interactiveMessage"))
    : undefined;
}

function readTemplate(message: unknown): Menu {
  const outer = readValue(message, "templateMessage");
  if (hasObject(outer, "interactiveMessageTemplate")) {
    return readInteractive(readValue(outer, "interactiveMessageTemplate"));
  }
  const template = ["hydratedTemplate", "hydratedFourRowTemplate", "fourRowTemplate"]
    .map((member) => readValue(outer, member)).find((inner) => inner !== undefined);
  return {
    ...defined({
      title: readPassage(template, "hydratedTitleText"),
      body: readPassage(template, "hydratedContentText"),
      footer: readPassage(template, "hydratedFooterText"),
      mediaUrl: readFile(template),
    }),
    items: readList(template, "hydratedButtons").slice(0, MAX_ITEMS).map(readHydratedButton),
  };
}

function readHydratedButton(button: unknown): MenuItem {
  const [member, kind] = ([
    ["quickReplyButton", "reply"],
    ["urlButton", "link"],
    ["callButton", "phone"],
  ] as const).find(([name]) => hasObject(button, name)) ?? ["", "other"] as const;
  const inner = readValue(button, member);
  return {
    kind,
    ...defined({
      title: readName(inner, "displayText"),
      id: readId(inner, "id"),
      url: readUrl(inner, "url"),
      phone: readName(inner, "phoneNumber"),
    }),
  };
}

function readButtons(buttons: unknown): Menu {
  return {
    ...defined({
      title: readPassage(buttons, "text"),
      body: readPassage(buttons, "contentText"),
      footer: readPassage(buttons, "footerText"),
      mediaUrl: readFile(buttons),
    }),
    items: readList(buttons, "buttons").slice(0, MAX_ITEMS).map((button) => ({
      kind: "reply" as const,
      ...defined({
        title: readName(button, "buttonText", "displayText"),
        id: readId(button, "buttonId"),
      }),
    })),
  };
}

function readListMenu(list: unknown): Menu {
  const rows = readList(list, "sections").flatMap((section) => readList(section, "rows"));
  return {
    ...defined({
      title: readPassage(list, "title"),
      body: readPassage(list, "description"),
      footer: readPassage(list, "footerText"),
    }),
    items: rows.slice(0, MAX_ITEMS).map((row) => ({
      kind: "row" as const,
      ...defined({
        title: readName(row, "title"),
        id: readId(row, "rowId"),
        description: readName(row, "description"),
      }),
    })),
  };
}

/** A card of a carousel is an item, before those of its buttons. */
function readInteractive(interactive: unknown): Menu {
  const cards = readList(interactive, "carouselMessage", "cards");
  const parts = [interactive, ...cards];
  const items = parts.flatMap((part) => [
    ...(part === interactive ? [] : readCarouselCard(part)),
    ...readList(part, "nativeFlowMessage", "buttons").flatMap(readFlowButton),
  ]);
  return {
    ...defined({
      title: readPassage(interactive, "header", "title"),
      body: readPassage(interactive, "body", "text"),
      footer: readPassage(interactive, "footer", "text"),
      mediaUrl: parts.map((part) => readFile(readValue(part, "header")))
        .find((url) => url !== undefined),
    }),
    items: items.slice(0, MAX_ITEMS),
  };
}

function readCarouselCard(card: unknown): MenuItem[] {
  const title = readPassage(card, "header", "title");
  const text = readPassage(card, "body", "text");
  const told = defined({ title: title ?? text, description: title && text });
  return told === undefined ? [] : [{ kind: "other", ...told }];
}

const flowKinds: Readonly<Record<string, MenuItem["kind"]>> = {
  ...{ quick_reply: "reply", cta_url: "link", cta_call: "phone", cta_copy: "code" },
};

/** A button of a native flow: its parameters are a JSON text. A list's rows are each an item. */
function readFlowButton(button: unknown): MenuItem[] {
  const name = readText(button, "name") ?? "";
  const parameters = parseJson(readText(button, "buttonParamsJson") ?? "");
  if (name === "single_select") return readSelection(parameters);
  return [{
    kind: Object.hasOwn(flowKinds, name) ? flowKinds[name] ?? "other" : "other",
    ...defined({
      title: readName(parameters, "display_text"),
      id: readId(parameters, "id"),
      url: readUrl(parameters, "url"),
      phone: readName(parameters, "phone_number"),
      code: readName(parameters, "copy_code"),
    }),
  }];
}

/** A list: its button, each section with a title, and the rows. */
function readSelection(parameters: unknown): MenuItem[] {
  const named = (title: string | undefined, description?: string): MenuItem[] =>
    title === undefined ? [] : [{ kind: "other", title, ...defined({ description }) }];
  return [
    ...named(readName(parameters, "title"), readName(parameters, "description")),
    ...readList(parameters, "sections").flatMap((section) => [
      ...named(readName(section, "title")),
      ...readList(section, "rows").map((row): MenuItem => ({
        kind: "row",
        ...defined({
          title: readName(row, "title") ?? readName(row, "header"),
          id: readId(row, "id") ?? readId(row, "rowId"),
          description: readName(row, "description"),
        }),
      })),
    ]),
  ];
}

/** The address of the picture, video or document in a header. WhatsApp's own is encrypted. */
function readFile(header: unknown): string | undefined {
  return files.map((member) => readUrl(header, member, "url")).find((url) => url !== undefined);
}
