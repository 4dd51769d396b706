/** What follows from the records of an earlier run. */
import { fillContent } from "../../../supabase/local/simulator/records.ts";
import { createSimulator } from "../../../supabase/local/simulator/simulator.ts";
import type { Store } from "../../../supabase/local/simulator/store.ts";
import { assertEquals } from "../../support/assert.ts";

const chat = {
  provider: "whatsapp_cloud",
  instance: "104857600000001",
  waId: "5511944443333",
} as const;

function addMessage(store: Store, providerMessageId: string): void {
  store.addMessage({
    ...fillContent({ messageType: "text", text: "Olá" }),
    ...{ ...chat, providerMessageId, to: chat.waId, typingMs: 0, correlationId: null },
    ...{ replyTo: null, answer: "accepted", body: {} },
  });
}

Deno.test("after a restart the conversation window of what a customer wrote is still open, and nothing is reported again", async () => {
  const before = createSimulator();
  before.store.addReply({
    ...{ ...chat, providerMessageId: "r1", writtenBy: "customer", customerName: "Ana" },
    ...{ content: { messageType: "text", text: "Oi" }, replyTo: null },
  });
  addMessage(before.store, "m1");
  const history = before.store.list();
  before.close();
  const after = createSimulator({ history });
  const response = await after.fetch(
    new Request(`http://127.0.0.1/simulator/graph/v23.0/${chat.instance}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer token" },
      body: JSON.stringify({
        ...{ messaging_product: "whatsapp", to: chat.waId, type: "text", text: { body: "Olá" } },
      }),
    }),
  );
  assertEquals(response.status, 200, await response.text());
  const statuses = after.store.logs.statuses.read({ limit: 10 }).items;
  assertEquals(statuses.filter(({ providerMessageId }) => providerMessageId === "m1"), []);
  after.close();
});
