/** What the production adapters ask beside sends, against the simulated providers. */
import type { ChannelAction } from "../../../shared/providers/action.ts";
import type { Provider } from "../../../shared/providers/provider.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const secret = "a-secret-of-32-characters-or-more";
const waId = "551191234567";
const instance = "INSTANCE";
const gateways = ["zapi", "evolution"] as const;

Deno.test("a gateway's phones show the edit of a text for fifteen minutes, and its answer is the same after them", async () => {
  for (const kind of gateways) {
    let now = new Date("2026-11-23T12:00:00Z");
    await using server = startSimulator({ now: () => now });
    const provider = await open(kind, server);
    const providerMessageId = await sendText(provider);
    for (const [minutes, words] of [[14, "às 11h"], [16, "às 12h"]] as const) {
      now = new Date(Date.parse("2026-11-23T12:00:00Z") + minutes * 60_000);
      const content = { messageType: "text", message: words } as const;
      const edit = { action: "edit", to: waId, providerMessageId, content } as const;
      assertEquals(await act(provider, edit), { outcome: "done" });
    }
    const { items } = await server.read("/changes");
    assertEquals(items.map((change) => [change["change"], change["text"], change["isByApi"]]), [
      ["edited", "às 11h", true],
    ]);
  }
});

Deno.test("a gateway's phones show a deletion for everyone, receipts, typing and blocks, and a blocked person's words do not arrive", async () => {
  for (const kind of gateways) {
    await using server = startSimulator();
    const provider = await open(kind, server);
    const providerMessageId = await sendText(provider);
    const done = { outcome: "done" } as const;
    assertEquals(await act(provider, { action: "delete", to: waId, providerMessageId }), done);
    const { items: [deletion] } = await server.read("/changes");
    assertEquals([deletion?.["change"], deletion?.["waId"]], ["deleted", waId]);
    const providerMessageIds = ["A", "B"];
    const reading = { action: "mark_read", to: waId, providerMessageIds, showsTyping: false };
    assertEquals(await act(provider, reading as ChannelAction), done);
    const receipts = await server.read("/read-receipts");
    assertEquals(receipts.items.map((one) => [one["provider"], one["providerMessageId"]]), [
      ...[[kind, "A"], [kind, "B"]],
    ]);
    const typing = { action: "show_typing", to: waId, durationMs: 10 } as const;
    const shown = await act(provider, typing);
    assertEquals(shown.outcome, kind === "zapi" ? "not_supported" : "done");
    assertEquals((await server.read("/typings")).total, kind === "zapi" ? 0 : 1);
    let arrived = 0;
    server.simulator.webhooks.has = () => true;
    server.simulator.webhooks.send = () => void (arrived += 1);
    for (const [action, expected] of [["block", 0], ["unblock", 1]] as const) {
      assertEquals(await act(provider, { action, to: waId }), done);
      const content = { messageType: "text", text: "Oi" };
      await server.post("/replies", { provider: kind, instance, waId, content });
      assertEquals(arrived, expected, `${kind} ${action}`);
    }
  }
});

Deno.test("the simulated gateways refuse as the real ones do: documents on Evolution, an unknown message, a lost session", async () => {
  await using server = startSimulator();
  const provider = await open("evolution", server);
  const file = { messageType: "document", mediaUrl: "https://files.example/a.pdf" } as const;
  const sent = await provider.send({ messageId: "1", to: waId, content: file }, options);
  assert(sent.outcome === "accepted");
  const response = await server.post(`/evolution/chat/updateMessage/${instance}`, {
    number: waId,
    text: "x",
    key: { id: sent.providerMessageId, fromMe: true, remoteJid: `${waId}@s.whatsapp.net` },
  }, { apikey: secret });
  assertEquals([response.status, JSON.stringify(response.json).includes("not compatible")], [
    ...[400, true],
  ]);
  const unknown = { action: "delete", to: waId, providerMessageId: "NONE" } as const;
  assertEquals((await act(provider, unknown)).outcome, "unknown");
  server.simulator.webhooks.has = () => true;
  await fetch(`${server.url}/connections`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ provider: "evolution", instance, state: "disconnected" }),
  }).then((answer) => answer.body?.cancel());
  const receipt = await act(provider, unknown);
  assert(receipt.outcome === "rejected" && receipt.isOutage === true, JSON.stringify(receipt));
});

Deno.test("the official channel takes receipts with typing, blocks who wrote within a day, and neither edits nor deletes", async () => {
  await using server = startSimulator();
  const provider = await open("whatsapp_cloud", server);
  const block = { action: "block", to: waId } as const;
  const refused = await act(provider, block);
  assert(refused.outcome === "rejected" && refused.code === "131047", JSON.stringify(refused));
  server.writeAsCustomer({ instance, waId });
  assertEquals(await act(provider, block), { outcome: "done" });
  assertEquals(await act(provider, { action: "unblock", to: waId }), { outcome: "done" });
  const blocks = await server.read("/blocks");
  assertEquals(blocks.items.map((one) => one["isBlocked"]), [true, false]);
  const reading = { action: "mark_read", to: waId, showsTyping: true } as const;
  const read = { ...reading, providerMessageIds: ["wamid.A", "wamid.B"] };
  assertEquals(await act(provider, read), { outcome: "done" });
  const { items: [receipt] } = await server.read("/read-receipts");
  assertEquals([receipt?.["providerMessageId"], receipt?.["typingShown"]], ["wamid.B", true]);
  const providerMessageId = "wamid.A";
  const content = { messageType: "text", message: "x" } as const;
  for (
    const action of [
      { action: "edit", to: waId, providerMessageId, content },
      { action: "delete", to: waId, providerMessageId },
    ] as const
  ) assertEquals(await act(provider, action), { outcome: "not_supported" });
});

const options = { timeoutMs: 60_000 };

function act(provider: Provider, action: ChannelAction): ReturnType<Provider["act"]> {
  return provider.act(action, options);
}

async function sendText(provider: Provider): Promise<string> {
  const content = { messageType: "text", message: "às 10h" } as const;
  const receipt = await provider.send({ messageId: "1", to: waId, content }, options);
  assert(receipt.outcome === "accepted", JSON.stringify(receipt));
  return receipt.providerMessageId;
}

function open(kind: ProviderKind, { url }: SimulatorServer): Promise<Provider> {
  const config = factsOf[kind].simulated(url, instance, secret);
  return registry.get(kind).open(config, crypto.randomUUID());
}
