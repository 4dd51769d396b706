/** What the simulated providers tell of their own accord, which the service reads. */

import { channels } from "../../../supabase/local/simulator/channels.ts";
import type { SimulatedChange } from "../../../supabase/local/simulator/records.ts";
import { composeAccountUpdate } from "../../../supabase/local/simulator/whatsapp_cloud/account_updates.ts";
import {
  composeUserIdChange,
  formerIdPlaces,
} from "../../../supabase/local/simulator/whatsapp_cloud/changes.ts";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startSimulator } from "./simulator_server.ts";

const at = "2026-11-20T12:00:00.000Z";
const waId = "5511988887777";

for (const channel of channels) {
  Deno.test(`${channel.name} tells an edit and a deletion of either side as the service reads them`, () => {
    for (const writtenBy of ["customer", "company"] as const) {
      const change = {
        ...{ seq: 1, receivedAt: at, provider: channel.kind, instance: "SALES", waId },
        isByApi: false,
      };
      const compose = (more: Pick<SimulatedChange, "change" | "text">): unknown =>
        channel.composeChange({ ...change, writtenBy, providerMessageId: "M1", ...more });
      const [edit, ...more] = readProviderEvents(
        channel.kind,
        compose({ change: "edited", text: "às 11h" }),
        "SALES",
      );
      assertEquals(more, []);
      assert(edit?.kind === "message" || edit?.kind === "message_edit", edit?.kind);
      assertEquals([edit.providerMessageId, edit.message], ["M1", "às 11h"]);
      if (edit.kind === "message") {
        assertEquals([edit.isEdit, edit.origin], [
          true,
          writtenBy === "company" ? "echo" : "inbound",
        ]);
        assertEquals(edit.address, waId);
      }
      assertEquals(
        readProviderEvents(channel.kind, compose({ change: "deleted", text: null }), "SALES"),
        [
          { kind: "message_deletion", providerMessageId: "M1" },
        ],
      );
    }
  });
}

Deno.test("a changed user id is told in three places, and read from each", () => {
  for (const toldIn of formerIdPlaces) {
    const change = { instance: "1", previousUserId: "BR.1", userId: "BR.2", toldIn };
    const [event] = readProviderEvents("whatsapp_cloud", composeUserIdChange(change, at), "1");
    assert(event?.kind === "number_change", toldIn);
    assertEquals([event.oldAddress, event.newAddress], ["BR.1", "BR.2"], toldIn);
  }
});

Deno.test("each decision about an account is told so that the service reads it", () => {
  const instance = "1";
  const until = "2026-11-27T12:00:00.000Z";
  const cases = [
    [{ event: "ACCOUNT_VIOLATION", reason: "SCAM" }, {
      kind: "limit",
      change: "ACCOUNT_VIOLATION: SCAM",
    }],
    [{ event: "SCHEDULE_FOR_DISABLE", date: "2026-12-01" }, {
      kind: "limit",
      change: "SCHEDULE_FOR_DISABLE",
      effectiveAt: "2026-12-01T00:00:00.000Z",
    }],
    [{ event: "ACCOUNT_RESTRICTION", reason: "RESTRICTED_BIZ_INITIATED_MESSAGING", until }, {
      kind: "connection",
      state: "disconnected",
      until,
    }],
    [{ event: "ACCOUNT_OFFBOARDED", reason: "CHANGE_NUMBER" }, {
      kind: "connection",
      state: "disconnected",
      reason: "ACCOUNT_OFFBOARDED: CHANGE_NUMBER",
    }],
    [{ event: "ACCOUNT_RECONNECTED" }, { kind: "connection", state: "connected" }],
    [{ event: "DOWNGRADE", limit: "TIER_2K" }, {
      kind: "limit",
      change: "DOWNGRADE",
      limit: "TIER_2K",
    }],
  ] as const;
  for (const [update, expected] of cases) {
    const [event] = readProviderEvents(
      "whatsapp_cloud",
      composeAccountUpdate({ instance, ...update }, at),
      instance,
    );
    const told = event as unknown as Readonly<Record<string, unknown>>;
    const members = Object.keys(expected).map((name) => [name, told[name]]);
    assertEquals(Object.fromEntries(members), { ...expected }, update.event);
    assertEquals(told["at"], at);
  }
});

Deno.test("only what is on a phone can be changed, and only what a channel tells can be played", async () => {
  await using server = startSimulator();
  await using receiver = startTestServer(() => new Response());
  const provider = "zapi";
  const instance = "SALES";
  await server.post("/webhooks", { provider, instance, url: receiver.origin });
  const unknown = { provider, instance, providerMessageId: "none" };
  assertEquals((await server.post("/deletions", unknown)).status, 404);
  assertEquals((await server.post("/edits", { ...unknown, text: "a" })).status, 404);
  assertEquals((await server.post("/edits", unknown)).status, 400);
  const elsewhere = { ...unknown, instance: "OTHER" };
  assertEquals((await server.post("/deletions", elsewhere)).status, 409);
  const file = { messageType: "image", mediaUrl: "https://a.example/a.png", isEmbedded: true };
  const write = (more: object): Promise<{ status: number }> =>
    server.post("/replies", { provider, instance, waId, ...more });
  assertEquals((await write({ content: file })).status, 400);
  assertEquals((await write({ content: file, provider: "evolution" })).status, 400);
  const content = { messageType: "text", text: "oi" };
  assertEquals((await write({ content, userId: "BR.1" })).status, 400);
  assertEquals((await write({ content })).status, 201);
  const held = { provider, kind: "held" };
  assertEquals((await server.post("/faults", held)).status, 400);
  const assessment = { instance: "1", providerMessageId: "wamid.1", outcome: "released" };
  assertEquals((await server.post("/quality-assessments", assessment)).status, 404);
  for (const path of ["/account-updates", "/user-id-changes"]) {
    const ids = { previousUserId: "BR.1", userId: "BR.2" };
    const body = { instance: "1", event: "ACCOUNT_RECONNECTED", ...ids };
    assertEquals((await server.post(path, body)).status, 409, path);
  }
});

Deno.test("the last change of a message is recorded with its author", async () => {
  await using server = startSimulator();
  const received: unknown[] = [];
  await using receiver = startTestServer(async (request) => {
    received.push(await request.json());
    return new Response();
  });
  const about = { provider: "zapi", instance: "SALES" };
  await server.post("/webhooks", { ...about, url: receiver.origin });
  const content = { messageType: "text", text: "oi" };
  const { json } = await server.post("/replies", { ...about, waId, content, writtenBy: "company" });
  const { providerMessageId } = json as { providerMessageId: string };
  const message = { ...about, providerMessageId };
  assertEquals((await server.post("/edits", { ...message, text: "olá" })).status, 201);
  assertEquals((await server.post("/deletions", message)).status, 201);
  const { items } = await server.read("/changes");
  assertEquals(
    items.map(({ change, text, writtenBy }) => [change, text, writtenBy]),
    [["edited", "olá", "company"], ["deleted", null, "company"]],
  );
  await waitUntil(() => received.length === 3, { what: "the webhooks" });
});
