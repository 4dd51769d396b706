import { assertEquals } from "../../support/assert.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { createProcessAiAgentApp } from "../../../functions/process-ai-agent/app.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { createAgentClient } from "../agents/agent_client.ts";

const opening = { initiateConversation: true };

Deno.test("the opening text is filled with the variables that it names; others stay as written", async () => {
  await using client = await createAgentClient();
  const status = await client.open({
    ...opening,
    messageText: "Oi {{nome}} ({{ telefone }}), {{pedido}} da {{loja}}: {{desconto}}.",
    externalContext: { pedido: 7, loja: "Centro" },
  });
  assertEquals(status, 200);
  assertEquals(client.sent(), [`Oi {{nome}} (${phone}), 7 da Centro: {{desconto}}.`]);
});

Deno.test("the external context goes before the contact's name, this call's before an earlier one's", async () => {
  await using client = await createAgentClient();
  await client.nameContact("Ana");
  await client.open({
    ...{ ...opening, messageText: "{{nome}} {{loja}}" },
    externalContext: { loja: "Centro", cupom: "A1" },
  });
  await client.open({
    ...{ ...opening, messageText: "{{nome}} {{loja}} {{cupom}}" },
    externalContext: { nome: "Dra. Ana", loja: "Norte" },
  });
  assertEquals(client.sent(), ["Ana Centro", "Dra. Ana Norte A1"]);
});

Deno.test("what a value holds is not filled again, and what was filled is what history shows", async () => {
  await using client = await createAgentClient();
  const externalContext = { a: "{{b}}\n$&", b: "segredo" };
  await client.open({ ...opening, messageText: "x {{a}} y", externalContext });
  assertEquals(client.sent(), ["x {{b}}\n$& y"]);
  const history = await client.webhooks.history(client.tenant);
  assertEquals(history.body.conversation[0].content, "x {{b}}\n$& y");
});

Deno.test("an opening text that its variables make too long is refused before anything is written", async () => {
  await using client = await createAgentClient();
  const externalContext = { a: "x".repeat(30_000) };
  const tooLong = { ...opening, externalContext };
  assertEquals(await client.open({ ...tooLong, messageText: "{{a}}".repeat(3) }), 400);
  assertEquals(await client.open({ ...tooLong, messageText: "{{a}}".repeat(10_000) }), 400);
  const contacts = await client.webhooks.stack.admin`select from messaging.contacts`;
  assertEquals([client.sent(), contacts.length], [[], 0]);
});

Deno.test("the answer names what stays unfilled, and has no such member where nothing does", async () => {
  await using client = await createAgentClient();
  const { services } = client.webhooks.stack;
  const open = async (messageText: string) => {
    const response = await callApp(createProcessAiAgentApp(services), "/process-ai-agent", {
      method: "POST",
      headers: { "X-Client-Token": client.tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify({
        ...{ instanceId: client.tenant.instanceId, phone, messageText },
        ...{ ...opening, externalContext: { loja: "Centro", vazio: "" } },
      }),
    });
    return await response.json();
  };
  const named = await open("Oi {{nome}}, {{ loja }}: {{pedido-novo}} {{pedido-novo}} {{vazio}}");
  assertEquals([named.success, named.unfilled], [true, ["nome", "pedido-novo", "vazio"]]);
  const none = await open("Oi {{loja}} ({{telefone}})");
  assertEquals([none.success, "unfilled" in none], [true, false]);
});
