/** Reads a template, buttons or a list of another business from a Z-API message. */
import { defined, hasObject } from "../webhooks/values.ts";
import { readFirstUrl } from "../webhooks/values.ts";
import { readList, readName, readPassage, readUrl } from "../webhooks/fields.ts";
import { readId, readValue } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";

type Menu = ReceivedPart<"menu">;

const MAX_ITEMS = 100;
const mediaMembers = ["imageUrl", "videoUrl", "documentUrl"] as const;

/** The menu in `hydratedTemplate`, `buttonsMessage`, `carouselMessage` or `listMessage`; undefined for none. */
export function readZapiMenu(payload: unknown): Menu | undefined {
  if (hasObject(payload, "hydratedTemplate")) {
    const template = readValue(payload, "hydratedTemplate");
    return toMenu(template, {
      title: readPassage(template, "header", "title") ?? readPassage(template, "title"),
      body: readPassage(template, "message") ?? readPassage(template, "hydratedContentText"),
      footer: readPassage(template, "footer"),
    }, readList(template, "hydratedButtons").map(readHydratedButton));
  }
  if (hasObject(payload, "buttonsMessage")) {
    const menu = readValue(payload, "buttonsMessage");
    return toMenu(menu, {
      title: readPassage(menu, "title"),
      body: readPassage(menu, "message"),
      footer: readPassage(menu, "footer"),
    }, readList(menu, "buttons").map(readButton));
  }
  if (hasObject(payload, "carouselMessage")) {
    const carousel = readValue(payload, "carouselMessage");
    const cards = readList(carousel, "cards");
    const pictured = cards.find((card) => findMedia(card) !== undefined);
    return toMenu(
      pictured,
      { body: readPassage(carousel, "text") },
      cards.flatMap(readCarouselCard),
    );
  }
  if (!hasObject(payload, "listMessage")) return undefined;
  const list = readValue(payload, "listMessage");
  const sections = readList(list, "sections");
  const rows = [...readList(list, "options"), ...sections.flatMap((it) => readList(it, "options"))];
  return toMenu(list, {
    title: readPassage(list, "title"),
    body: readPassage(list, "description") ?? readPassage(list, "message"),
    footer: readPassage(list, "footerText"),
  }, rows.map(readRow));
}

function toMenu(
  source: unknown,
  texts: Pick<Menu, "title" | "body" | "footer">,
  items: readonly Menu["items"][number][],
): Menu {
  const mediaUrl = findMedia(source);
  return { ...defined({ ...texts, mediaUrl }), items: items.slice(0, MAX_ITEMS) };
}

function findMedia(source: unknown): string | undefined {
  return readFirstUrl(source, mediaMembers) ??
    ["image", "video", "document"].flatMap((kind) =>
      mediaMembers.map((member) =>
        readUrl(source, kind, member) ?? readUrl(source, "header", kind, member)
      )
    ).find((url) => url !== undefined);
}

/** A card of a carousel is an item, before those of its buttons. */
function readCarouselCard(card: unknown): Menu["items"][number][] {
  const title = readPassage(card, "title") ?? readPassage(card, "header", "title");
  const text = readPassage(card, "message");
  const told = defined({ title: title ?? text, description: title && text });
  return [
    ...(told === undefined ? [] : [{ kind: "other" as const, ...told }]),
    ...readList(card, "hydratedButtons").map(readHydratedButton),
  ];
}

function readHydratedButton(button: unknown): Menu["items"][number] {
  const kinds = [["quickReplyButton", "reply"], ["urlButton", "link"], ["callButton", "phone"]];
  const [member = "", kind = "other"] = kinds.find(([name]) => hasObject(button, name ?? "")) ?? [];
  const inner = readValue(button, member);
  return {
    kind: kind as Menu["items"][number]["kind"],
    ...defined({
      title: readName(inner, "displayText"),
      id: readId(inner, "id"),
      url: readUrl(inner, "url"),
      phone: readName(inner, "phoneNumber"),
    }),
  };
}

function readButton(button: unknown): Menu["items"][number] {
  return {
    kind: "reply",
    ...defined({
      title: readName(button, "buttonText", "displayText") ?? readName(button, "label"),
      id: readId(button, "buttonId") ?? readId(button, "id"),
    }),
  };
}

function readRow(row: unknown): Menu["items"][number] {
  return {
    kind: "row",
    ...defined({
      title: readName(row, "title"),
      id: readId(row, "rowId") ?? readId(row, "id"),
      description: readName(row, "description"),
    }),
  };
}
