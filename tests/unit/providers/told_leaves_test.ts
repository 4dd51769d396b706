/**
 * Each documented kind of message, leaf by leaf: every value that a provider sends is told, or its member
 * is in the list below with the reason.
 */
import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";
import {
  type ReceivedPartName,
  receivedPartNames,
  receivedParts,
} from "../../../shared/model/received_parts.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import type { InboundExample } from "../../support/fixtures/inbound_examples.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { readEvent } from "./event_payloads.ts";

type Json = Record<string, unknown>;

/** Members that no record tells, by the last part of their path, with the reason. */
const untold: Readonly<Record<string, string>> = {
  type: "says which member holds the content, or is the label (home, work) of a phone or address",
  first_name: "part of the card's whole name",
  last_name: "part of the card's whole name",
  wa_id: "the same number as the phone beside it",
  vCard: "told in parts: a card's lines are its members",
  vcard: "told in parts: a card's lines are its members",
  response_json: "told as data: flowAnswer",
  paramsJson: "told as data: flowAnswer",
  "nfm_reply.body": "the channel's own confirmation of a form",
  "body.text": "the channel's own confirmation of a form",
  "pollUpdates.name": "an option without voters is not chosen",
  thumbnailUrl: "a smaller picture of one that is told",
  sellerJid: "our own number",
  businessOwnerJid: "our own number",
  requestPhone: "the sender, who is the contact",
  productImageCount: "how many pictures the catalog has",
  productId: "told where the seller has no id of its own (retailerId)",
  mediaType: "told as a word: 1 is image, 2 video",
  renderLargerThumbnail: "how the ad is drawn",
  showAdAttribution: "how the ad is drawn",
  status:
    "the payment's own state is told (transactionStatus), and of an order that it is asked for",
  orderRequestId: "a second id of the order; referenceId is told",
  from: "our own number, whose message is quoted",
  animated: "the file says it itself",
  index: "the place in the list, which is kept",
  displayName: "of several cards: how many they are",
  encPayload: "encrypted",
  voters: "who voted: the author of the message",
  currencyCodeIso4217: "told in upper case",
  forwardingScore: "told as isForwarded and isFrequentlyForwarded",
  remoteJid: "told as isStatusReply",
  messageType: "the kind, which the message's member says too",
  source: "the kind of phone that Evolution takes the person to have",
  instanceId: "the gateway's own id of the instance, which the webhook's address names",
  sha256: "compared with the file that is fetched",
  "imageMessage.id": "Meta's id of the file, which this gateway does not fetch by it",
  "audioMessage.id": "Meta's id of the file, which this gateway does not fetch by it",
  "documentMessage.id": "Meta's id of the file, which this gateway does not fetch by it",
  "stickerMessage.id": "Meta's id of the file, which this gateway does not fetch by it",
};

/** Members whose `true` is told as a member of ours. */
const flags: Readonly<Record<string, string>> = {
  forwarded: "isForwarded",
  frequently_forwarded: "isFrequentlyForwarded",
  voice: "voice",
  ptt: "voice",
  viewOnce: "isViewOnce",
  isStatusReply: "isStatusReply",
  canceled: "isCanceled",
  isCanceled: "isCanceled",
  isForwarded: "isForwarded",
  gifPlayback: "isGif",
};

type Leaf = readonly [path: readonly string[], value: unknown];

function listLeaves(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  const isLong = "low" in value && "high" in value;
  if (isLong) return [[path, value.low]];
  return Object.entries(value).flatMap(([key, inner]) => listLeaves(inner, [...path, key]));
}

/** Every form in which a value may be told. */
function formsOf(value: unknown): string[] {
  const text = String(value);
  const number = Number(text);
  return [
    ...[text, text.toLowerCase(), text.toUpperCase(), text.replace(/\D/g, "") || text],
    ...[text.split("@")[0] ?? text, text.split(";")[0] ?? text],
    ...(Number.isFinite(number) && text !== ""
      ? [number, number / 1000, number / 100].map(String)
      : []),
    ...(number > 1e9 && number < 1e13
      ? [new Date(number > 1e11 ? number : number * 1000).toISOString()]
      : []),
  ];
}

/** Leaves of the example that nothing tells. */
function listUntold(kind: ProviderKind, example: InboundExample): string[] {
  const event = readEvent(kind, factsOf[kind].toMessage("M1", example.members)) ?? {};
  const leaves = listLeaves(event);
  const texts = leaves.map(([, value]) => String(value));
  const told = new Set([...texts, ...texts.map((text) => text.replace(/\D/g, ""))]);
  const words = [...told].join("\n");
  const members = new Set(leaves.map(([path]) => path.at(-1)));
  const reasons = { ...untold, ...factsOf[kind].untold };
  return listLeaves(example.members).filter(([path, value]) => {
    const name = path.findLast((key) => !/^\d+$/.test(key)) ?? "";
    if (value === null || value === false || value === "") return false;
    const keys = path.filter((key) => !/^\d+$/.test(key));
    if (Object.hasOwn(reasons, name) || Object.hasOwn(reasons, keys.slice(-2).join("."))) {
      return false;
    }
    if (value === true) {
      const flag = flags[name] ?? "";
      return !members.has(flag) && event["messageType"] !== flag;
    }
    return !formsOf(value).some((form) =>
      told.has(form) || form.length > 3 && words.includes(form)
    );
  }).map(([path]) => path.join("."));
}

for (const kind of providerKinds) {
  for (const example of factsOf[kind].documented) {
    Deno.test(`${kind}: every leaf of ${example.name} is told`, () => {
      const event = readEvent(kind, factsOf[kind].toMessage("M1", example.members)) ?? {};
      assertEquals(event["messageType"], example.messageType);
      const parts = receivedPartNames.filter((name) => event[name] !== undefined);
      assertEquals(Object.fromEntries(parts.map((name) => [name, event[name]])), {
        ...example.told,
      });
      assertEquals(listUntold(kind, example), []);
    });
  }
}

Deno.test("a leaf that nothing tells is found", () => {
  const example = { name: "x", members: { text: { message: "oi", secretNumber: 4711 } } };
  assertEquals(
    listUntold("zapi", { ...example, messageType: "text", told: {} }),
    ["text.secretNumber"],
  );
});

Deno.test("every part that a message can have is in an example, and fits its schema", () => {
  const shown = new Set<ReceivedPartName>();
  for (const kind of providerKinds) {
    for (const { told } of factsOf[kind].documented) {
      for (const name of Object.keys(told) as ReceivedPartName[]) {
        shown.add(name);
        assertEquals(receivedParts[name].schema.safeParse(told[name]).success, true, name);
      }
    }
  }
  const elsewhere: readonly ReceivedPartName[] = [
    "reaction",
    "call",
    "preview",
    "groupId",
    "isImported",
  ];
  const missing = receivedPartNames.filter((name) => !shown.has(name) && !elsewhere.includes(name));
  assertEquals(missing, []);
  assert(Object.values(untold).every((reason) => reason.length > 5));
});
