/** Reads a template, buttons or a list of another business from a Z-API message. */
import { defined, hasObject } from "../webhooks/values.ts";
import { readFirstUrl } from "../webhooks/values.ts";
import { readList, readName, readUrl } from "../webhooks/fields.ts";
import { readId, readValue } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";

type Menu = ReceivedPart<"menu">;

const MAX_ITEMS = 100;
const mediaMembers = ["imageUrl", "videoUrl", "documentUrl"] as const;

/** The menu in `hydratedTemplate`, `buttonsMessage` or `listMessage`; undefined for none. */
export function readZapiMenu(payload: unknown): Menu | undefined {
  if (hasObject(payload, "hydratedTemplate")) {
    const template = readValue(payload, "hydratedTemplate");
    return toMenu(template, {
      title: readName(template, "header", "title") ?? readName(template, "title"),
      body: readName(template, "message") ?? readName(template, "hydratedContentText"),
      footer: readName(template, "footer"),
    }, readList(template, "hydratedButtons").map(readHydratedButton));
  }
  if (hasObject(payload, "buttonsMessage")) {
    const menu = readValue(payload, "buttonsMessage");
    return toMenu(menu, {
      title: readName(menu, "title"),
      body: readName(menu, "message"),
      footer: readName(menu, "footer"),
    }, readList(menu, "buttons").map(readButton));
  }
  if (!hasObject(payload, "listMessage")) return undefined;
  const list = readValue(payload, "listMessage");
  const sections = readList(list, "sections");
  const rows = [...readList(list, "options"), ...sections.flatMap((it) => readList(it, "options"))];
  return toMenu(list, {
    title: readName(list, "title"),
    body: readName(list, "description") ?? readName(list, "message"),
    footer: readName(list, "footerText"),
  }, rows.map(readRow));
}

function toMenu(
  source: unknown,
  texts: Pick<Menu, "title" | "body" | "footer">,
  items: readonly Menu["items"][number][],
): Menu {
  const mediaUrl = readFirstUrl(source, mediaMembers) ??
    ["image", "video", "document"].flatMap((kind) =>
      mediaMembers.map((member) =>
        readUrl(source, kind, member) ?? readUrl(source, "header", kind, member)
      )
    ).find((url) => url !== undefined);
  return { ...defined({ ...texts, mediaUrl }), items: items.slice(0, MAX_ITEMS) };
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
