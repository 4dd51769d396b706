/**
 * What another responder has sent in a conversation that it holds (page Webhooks: standby,
 * `message_echoes`): the request as it was posted, beside the definition of the template that it names.
 */
import { normalizeAddress } from "../webhooks/addresses.ts";
import {
  type EventContent,
  findWords,
  toMessageOrReaction,
  toOther,
  toPart,
} from "../webhooks/content.ts";
import {
  MESSAGE_MAX,
  readLabel,
  readList,
  readMessage,
  readName,
  readPassage,
  readTime,
  readUrl,
} from "../webhooks/fields.ts";
import { defined, readAnyId } from "../webhooks/values.ts";
import { cleanText, readId, readText, readValue } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";
import type { MessageEvent, ReactionEvent } from "../webhooks/provider_event.ts";
import type { CloudContacts } from "./contacts.ts";
import { readCloudContent } from "./event_content.ts";

type Menu = ReceivedPart<"menu">;

const MAX_ITEMS = 100;

/** An answer of another responder: it is in the history as sent, and pauses no agent. */
export function readStandbyEcho(
  echo: unknown,
  contacts: CloudContacts,
): MessageEvent | ReactionEvent | undefined {
  const request = readValue(echo, "message") ?? echo;
  const providerMessageId = readId(echo, "id");
  const addresses = contacts.findAddresses([
    normalizeAddress(readValue(request, "to")),
    readId(request, "recipient"),
  ]);
  const content = readRequest(request, readValue(echo, "template"));
  if (providerMessageId === undefined || addresses === undefined || content === undefined) {
    return undefined;
  }
  return toMessageOrReaction({
    kind: "message",
    origin: "echo",
    isStandby: true,
    isOfOtherApp: true,
    mayBeOurs: true,
    providerMessageId,
    ...addresses,
    ...content,
    sentAt: readTime(echo, "s", "timestamp"),
    isGroup: false,
    quotedProviderMessageId: readId(request, "context", "message_id") ??
      content.quotedProviderMessageId,
  });
}

function readRequest(request: unknown, definition: unknown): EventContent | undefined {
  const type = readLabel(request, "type") ?? "text";
  const named = { ...(request as object), type };
  switch (type) {
    case "interactive": {
      const interactive = readValue(request, "interactive");
      return toPart("other", "menu", readInteractive(interactive), findWords(interactive));
    }
    case "template":
      return readTemplate(readValue(request, "template"), definition);
    default: {
      const content = readCloudContent(named);
      const link = readUrl(request, type, "link");
      return content?.file === undefined && link !== undefined && content !== undefined
        ? { ...content, mediaUrl: link }
        : content;
    }
  }
}

/** The buttons or the list that a request offers. */
function readInteractive(interactive: unknown): Menu | undefined {
  const action = readValue(interactive, "action");
  const rows = readList(action, "sections").flatMap((section) => readList(section, "rows"))
    .map((row) => ({ kind: "row" as const, ...readItem(row, "title") }));
  const replies = readList(action, "buttons")
    .map((button) => ({
      kind: "reply" as const,
      ...readItem(readValue(button, "reply"), "title"),
    }));
  const link = readItem(readValue(action, "parameters"), "display_text");
  const items = [
    ...rows,
    ...replies,
    ...(link === undefined ? [] : [{ kind: "link" as const, ...link }]),
  ];
  const told = defined({
    title: readPassage(interactive, "header", "text"),
    body: readPassage(interactive, "body", "text"),
    footer: readPassage(interactive, "footer", "text"),
  });
  return told === undefined && items.length === 0
    ? undefined
    : { ...told, items: items.slice(0, MAX_ITEMS) };
}

function readItem(item: unknown, title: string): Omit<Menu["items"][number], "kind"> | undefined {
  return defined({
    title: readName(item, title),
    id: readAnyId(item, "id"),
    description: readName(item, "description"),
    url: readUrl(item, "url"),
  });
}

/** A template as the person reads it; its name alone where the definition is missing. */
function readTemplate(template: unknown, definition: unknown): EventContent {
  const parts = readList(definition, "components");
  const find = (type: string): unknown =>
    parts.find((part) => readText(part, "type")?.toUpperCase() === type);
  const fill = (type: string): string | undefined =>
    fillText(readPassage(find(type), "text"), readParameters(template, type.toLowerCase()));
  const items = readList(find("BUTTONS"), "buttons").slice(0, MAX_ITEMS).map((button) => ({
    kind: kindsOfButtons[readText(button, "type") ?? ""] ?? "other" as const,
    ...defined({
      title: readName(button, "text"),
      phone: readName(button, "phone_number"),
    }),
  }));
  const told = defined({ title: fill("HEADER"), body: fill("BODY"), footer: fill("FOOTER") });
  return told === undefined
    ? toOther("template", [readName(template, "name")])
    : toPart("other", "menu", { ...told, items });
}

const kindsOfButtons: Readonly<Record<string, Menu["items"][number]["kind"]>> = {
  ...{ QUICK_REPLY: "reply", URL: "link", PHONE_NUMBER: "phone", COPY_CODE: "code" },
};

/** The values of a component by name, else by number. */
function readParameters(template: unknown, type: string): ReadonlyMap<string, string> {
  const component = readList(template, "components")
    .find((part) => readText(part, "type")?.toLowerCase() === type);
  return new Map(
    readList(component, "parameters").slice(0, MAX_ITEMS).map((parameter, place) => [
      readText(parameter, "parameter_name") ?? String(place + 1),
      readMessage(parameter, "text") ?? "",
    ]),
  );
}

function fillText(
  text: string | undefined,
  values: ReadonlyMap<string, string>,
): string | undefined {
  return text === undefined ? undefined : cleanText(
    text.replace(/\{\{(\w{1,100})\}\}/g, (written, name) => values.get(name) ?? written),
    MESSAGE_MAX,
  );
}
