/**
 * What people send beside words: the simulator writes it as the providers document it, and the service
 * reads the same facts out of it.
 */
import { partForms } from "../../../supabase/local/console/part_forms.ts";
import type { Channel } from "../../../supabase/local/simulator/channel.ts";
import { channels } from "../../../supabase/local/simulator/channels.ts";
import {
  type ReplyContent,
  replyFileTypes,
  type SimulatedReply,
} from "../../../supabase/local/simulator/records.ts";
import {
  type WrittenPartName,
  writtenPartNames,
  type WrittenParts,
} from "../../../supabase/local/simulator/written_parts.ts";
import { type ReceivedPartName, receivedPartNames } from "../../../shared/model/received_parts.ts";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { assertEquals } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { startSimulator } from "./simulator_server.ts";

type Json = Record<string, unknown>;

const instance = "SALES";
const waId = "5511988887777";

interface Sent {
  readonly name: string;
  readonly content: ReplyContent;
  readonly parts: WrittenParts;
  readonly messageType: string;
  readonly told: Json;
}

function file(messageType: (typeof replyFileTypes)[number]): ReplyContent {
  return { messageType, mediaUrl: "https://a.example/a", text: null, fileName: null };
}

function isFileType(type: string): type is (typeof replyFileTypes)[number] {
  return replyFileTypes.some((known) => known === type);
}

/** The documented examples of the provider, as the person's phone knows them. */
function listSent({ kind, parts: writers }: Channel): Sent[] {
  const words: ReplyContent = { messageType: "text", text: "Olá" };
  const documented = factsOf[kind].examples.flatMap(({ name, messageType, told }): Sent[] => {
    const { choice, reaction: _, ...parts } = told;
    if (choice !== undefined) return [];
    const content = isFileType(messageType) ? file(messageType) : messageType === "text" ? words : {
      messageType: "none",
    } as const;
    return [{ name, content, parts, messageType, told: parts as Json }];
  });
  const reaction = { providerMessageId: "M0", emoji: "👍" };
  const preview = { url: "https://a.example/p", title: "Café" };
  const kinds = ["voice", kind === "whatsapp_cloud" ? "voice" : "video"] as const;
  const others: (Omit<Sent, "told"> & { readonly told?: Json })[] = [
    { name: "reaction", content: { messageType: "none" }, parts: { reaction }, messageType: "" },
    ...kinds.map((call) => ({
      ...{ name: "call", content: { messageType: "none" } as const, messageType: "call" },
      ...{ parts: { call: { kind: call } }, told: { call: { kind: call, callId: "M1" } } },
    })),
    { name: "preview", content: words, parts: { preview }, messageType: "text" },
    { name: "GIF", content: file("video"), parts: { isGif: true }, messageType: "video" },
    {
      ...{ name: "event answer", content: { messageType: "none" }, messageType: "other" },
      parts: { eventAnswer: { answer: "going" } },
    },
    { name: "group", content: words, parts: { groupId: "120363" }, messageType: "text", told: {} },
  ];
  return [
    ...documented,
    ...others.filter(({ parts }) =>
      (Object.keys(parts) as WrittenPartName[]).every((part) => writers[part] !== null)
    ).map((sent) => ({ ...sent, told: sent.told ?? sent.parts as Json })),
  ];
}

function toReply(channel: Channel, { content, parts }: Sent): SimulatedReply {
  return {
    ...{ seq: 1, receivedAt: "2026-11-20T12:00:00.000Z", provider: channel.kind, instance, waId },
    ...{ providerMessageId: "M1", writtenBy: "customer", customerName: "Maria", replyTo: null },
    ...{ content, parts },
  };
}

for (const channel of channels) {
  Deno.test(`${channel.name}: the service reads of every kind what the customer sent`, () => {
    const shown = new Set<WrittenPartName>();
    for (const sent of listSent(channel)) {
      const payload = JSON.parse(JSON.stringify(channel.composeMessage(toReply(channel, sent))));
      const [event, ...more] = JSON.parse(
        JSON.stringify(readProviderEvents(channel.kind, payload, instance)),
      );
      assertEquals(more, [], sent.name);
      for (const part of Object.keys(sent.parts) as WrittenPartName[]) shown.add(part);
      if (sent.parts.reaction !== undefined) {
        const { kind, emoji, quotedProviderMessageId } = event;
        assertEquals([kind, emoji, quotedProviderMessageId], ["reaction", "👍", "M0"]);
        continue;
      }
      assertEquals([sent.name, event?.messageType], [sent.name, sent.messageType]);
      const told = receivedPartNames.filter((name) =>
        event[name] !== undefined && name !== "groupId"
      );
      assertEquals(Object.fromEntries(told.map((name) => [name, event[name]])), sent.told);
      assertEquals(event.isGroup, sent.parts.groupId !== undefined, sent.name);
    }
    const told = writtenPartNames.filter((name) => channel.parts[name] !== null);
    assertEquals([...shown].sort(), [...told].sort(), "each kind that the channel tells is sent");
  });

  Deno.test(`${channel.name}: the simulator writes no member that the provider does not document`, () => {
    const documented = new Set(
      factsOf[channel.kind].examples.flatMap(({ members }) => listPaths(members)),
    );
    const written = listSent(channel).flatMap((sent) =>
      (Object.entries(sent.parts) as [WrittenPartName, never][]).flatMap(([name, part]) =>
        listPaths(channel.parts[name]?.write(part, toReply(channel, sent)))
      )
    );
    const others = [...new Set(written)].filter((path) => !documented.has(path));
    assertEquals(others.sort(), [...factsOf[channel.kind].writtenElsewhere].sort());
  });
}

function listPaths(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    listPaths(inner, /^\d+$/.test(name) ? path : path === "" ? name : `${path}.${name}`)
  );
}

Deno.test("the panel's form of each kind, as it is filled in at first, is accepted where the channel has it", async () => {
  await using server = startSimulator();
  await using receiver = startTestServer(() => new Response());
  for (const { kind: provider, parts: writers } of channels) {
    const registration = { appSecret: "s", verifyToken: "v" };
    await server.post("/webhooks", { provider, instance, url: receiver.origin, ...registration });
    for (const name of writtenPartNames) {
      const { fields } = partForms[name];
      if (fields.length === 0) continue;
      const parts = { [name]: fillForm(name) };
      const writer = writers[name];
      const content = writer?.needs === "nothing" ? undefined : { messageType: "text", text: "Oi" };
      const answer = await server.post("/replies", { provider, instance, waId, content, parts });
      const isRefused = writer === null || writer.tells?.(parts[name] as never) === false;
      const expected = isRefused ? 400 : provider === "whatsapp_cloud" ? 409 : 201;
      assertEquals([provider, name, answer.status], [provider, name, expected]);
    }
  }
});

/** As the panel's script does, but for what is left out. */
function fillForm(name: WrittenPartName): unknown {
  let part: unknown;
  for (const { path, value, as } of partForms[name].fields) {
    if (value === "") continue;
    const read = as === "number"
      ? Number(value)
      : as === "json"
      ? JSON.parse(value)
      : as === "flag"
      ? true
      : value;
    part = place(part, path === "" ? [] : path.split("."), read);
  }
  return part;
}

function place(whole: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const isIndex = /^\d+$/.test(name);
  const copy = (isIndex ? [...(whole as unknown[] ?? [])] : { ...whole as Json }) as Json;
  copy[name] = place(copy[name], rest, value);
  return copy;
}

Deno.test("a kind that the provider does not tell, or that stands beside nothing, is refused", async () => {
  await using server = startSimulator();
  await using receiver = startTestServer(() => new Response());
  for (const provider of ["zapi", "evolution"]) {
    await server.post("/webhooks", { provider, instance, url: receiver.origin });
  }
  const write = async (provider: string, more: object): Promise<unknown> => {
    const { status, json } = await server.post("/replies", { provider, instance, waId, ...more });
    return status === 400 ? (json as { issues: { path: string }[] }).issues[0]?.path : status;
  };
  const referral: { [Name in ReceivedPartName]?: unknown } = { referral: { sourceType: "ad" } };
  const words = { messageType: "text", text: "Oi" };
  assertEquals(await write("zapi", {}), "content");
  assertEquals(await write("zapi", { parts: referral }), "content");
  assertEquals(await write("zapi", { parts: referral, content: words }), 201);
  assertEquals(await write("zapi", { parts: { isViewOnce: true }, content: words }), "content");
  assertEquals(await write("zapi", { parts: { flowAnswer: { data: {} } } }), "parts.flowAnswer");
  const pix = { payment: { kind: "pix", key: "a" } };
  assertEquals(await write("zapi", { parts: pix }), 201);
  assertEquals(await write("evolution", { parts: pix }), "parts.payment");
  assertEquals(
    await write("zapi", { parts: { location: { latitude: 91, longitude: 0 } } }),
    "parts.location.latitude",
  );
  assertEquals(await write("zapi", { parts: { sicker: 1 } }), "parts");
});
