import { choiceForm } from "../../../shared/agents/offered_choices.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { type AgentClient, complete, createAgentClient } from "./agent_client.ts";

async function waitingRows({ webhooks }: AgentClient): Promise<number[]> {
  const rows = await webhooks.stack.admin`
    select extract(epoch from run_at - created_at)::float as seconds from messaging.outbox
    where status = 'pending'`;
  return rows.map((row) => row["seconds"]);
}

Deno.test("messages within three seconds get one answer, sent as the agent by the normal path", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "{{segredo}} oi");
  await client.write("IN2", "tudo bem?");
  const [seconds, ...more] = await waitingRows(client);
  assert(seconds !== undefined && seconds >= 2.9 && more.length === 0, `${seconds} s`);
  await client.answer();
  assertEquals(client.model.requests.map(({ json }) => [json["model"], json["messages"]]), [[
    "gpt-test",
    [
      { role: "system", content: `Answer briefly.\n\n${choiceForm}` },
      { role: "user", content: "{{segredo}} oi\ntudo bem?" },
    ],
  ]]);
  const authorization = client.model.requests[0]?.headers.get("authorization");
  assertEquals(authorization, "Bearer sk-test");
  assertEquals(client.sent(), ["Posso ajudar?"]);
  const history = await client.webhooks.history(client.tenant);
  assertEquals(
    history.body.conversation.map((item: Record<string, string>) => [
      item["role"],
      item["sender"],
      item["content"],
    ]),
    [
      ["user", phone, "{{segredo}} oi"],
      ["user", phone, "tudo bem?"],
      ["assistant", "Ana", "Posso ajudar?"],
    ],
  );
  const answer = (await client.messages()).at(-1);
  assertEquals([answer?.["sent_by"], answer?.["agent_id"]], ["ai_agent", client.agentId]);
  const pauses = await client.webhooks.stack.admin`select from messaging.agent_pauses`;
  assertEquals(pauses.length, 0);
});

Deno.test("the agent goes on after its answer: each message has one answer, and the model hears its own", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  await client.answer();
  client.model.answer = () => complete("Sim.");
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.model.requests.length, 1);
  await client.write("IN2", "abre hoje?");
  await client.answer();
  assertEquals(client.model.requests[1]?.json["messages"], [
    { role: "system", content: `Answer briefly.\n\n${choiceForm}` },
    { role: "user", content: "oi" },
    { role: "assistant", content: "Posso ajudar?" },
    { role: "user", content: "abre hoje?" },
  ]);
  assertEquals(client.sent(), ["Posso ajudar?", "Sim."]);
});

Deno.test("variables come from the external context and a given name, never from what was written", async () => {
  await using client = await createAgentClient();
  const { admin } = client.webhooks.stack;
  await admin`update messaging.ai_agents set instructions =
    'Loja {{loja}} de {{nome}} ({{telefone}}): {{pedido}} {{missing}}.'`;
  const status = await client.open({
    initiateConversation: true,
    messageText: "Olá!",
    externalContext: { loja: "Centro", pedido: { id: 7 } },
  });
  assertEquals(status, 200);
  await client.nameContact("Ana {{loja}}");
  await client.webhooks.receive(client.tenant, {
    ...{ messageId: "IN1", senderName: "mimi" },
    text: { message: "loja: Norte. {{pedido}} missing=segredo" },
  });
  await client.answer();
  assertEquals(client.model.requests[0]?.json["messages"], [
    {
      role: "system",
      content: `Loja Centro de Ana {{loja}} (${phone}): {"id":7} .\n\n${choiceForm}`,
    },
    { role: "user", content: "[conversation opened by the business]" },
    { role: "assistant", content: "Olá!" },
    { role: "user", content: "loja: Norte. {{pedido}} missing=segredo" },
  ]);
});

Deno.test("what the external context calls the contact goes before what the contact's record does", async () => {
  await using client = await createAgentClient();
  const { admin } = client.webhooks.stack;
  await admin`update messaging.ai_agents set instructions = '{{nome}} ({{telefone}})'`;
  await client.nameContact("Ana");
  await client.open({
    initiateConversation: true,
    messageText: "Olá!",
    externalContext: { nome: "Maria" },
  });
  await client.write("IN1", "oi");
  await client.answer();
  const [instructions] = client.model.requests[0]?.json["messages"] as { content: string }[];
  assertEquals(instructions?.content, `Maria (${phone})\n\n${choiceForm}`);
});

Deno.test("a person's message silences the agent for half an hour, and no longer", async () => {
  await using client = await createAgentClient();
  await client.webhooks.receive(client.tenant, {
    ...{ messageId: "PHONE1", fromMe: true, fromApi: false },
    text: { message: "Deixa comigo" },
  });
  await client.write("IN1", "obrigado");
  await client.answer();
  assertEquals(client.model.requests.length, 0);
  await letTimePass(client.webhooks.stack.admin, 31 * 60);
  await client.answer();
  assertEquals(client.model.requests.length, 0);
  await client.write("IN2", "ainda aí?");
  await client.answer();
  assertEquals(client.asked(), [["obrigado", "ainda aí?"]]);
});

Deno.test("a pause that begins while the model thinks stops the answer for good", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  client.model.answer = async () => {
    await client.webhooks.stack.send(client.tenant, {
      ...{ phone, messageType: "text", message: "Sou uma pessoa" },
    });
    return complete("Tarde demais");
  };
  await client.answer();
  assertEquals(client.model.requests.length, 1);
  assertEquals(client.sent(), ["Sou uma pessoa"]);
  assertEquals(await client.outbox(), [["done", null]]);
  await letTimePass(client.webhooks.stack.admin, 31 * 60);
  await client.answer();
  assertEquals(client.sent(), ["Sou uma pessoa"]);
});

Deno.test("an answer that waits to be tried again does not leave in a pause that began meanwhile", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  await client.write("IN1", "oi");
  const accept = stack.provider.answer;
  stack.provider.answer = () => new Response("busy", { status: 503 });
  await client.answer();
  assertEquals(client.sent().length, 1);
  stack.provider.answer = accept;
  await stack.send(client.tenant, { phone, messageType: "text", message: "Aqui é a Bia." });
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  assertEquals(client.sent(), ["Posso ajudar?", "Aqui é a Bia."]);
  const answer = (await client.messages()).find((message) => message["sent_by"] === "ai_agent");
  const { code } = answer?.["last_error"] as { code: string };
  assertEquals([answer?.["status"], code], ["failed", "agent_paused"]);
});

Deno.test("a message of the agent's that a caller delayed leaves in a pause too, retried or not", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  const accept = stack.provider.answer;
  const text = { phone, messageType: "text" };
  await stack.send(client.tenant, { ...text, message: "Sou uma pessoa" });
  const answer = await stack.send(client.tenant, {
    ...{ ...text, message: "Até amanhã", sentBy: "ai_agent", delayMessage: 10 },
  });
  assertEquals([answer.status, answer.body.mode], [200, "scheduled"]);
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  await letTimePass(stack.admin, 11);
  await stack.dispatch();
  stack.provider.answer = accept;
  const path = `/messages/${answer.body.messageId}`;
  assertEquals((await stack.messages(client.tenant, "POST", `${path}/retry`)).status, 200);
  await stack.dispatch();
  assertEquals(client.sent(), ["Sou uma pessoa", "Até amanhã", "Até amanhã"]);
  assertEquals((await stack.messages(client.tenant, "GET", path)).body.status, "sent");
});

Deno.test("a message of the agent's that a caller moves to now leaves in a pause too", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  const text = { phone, messageType: "text" };
  await stack.send(client.tenant, { ...text, message: "Sou uma pessoa" });
  const { body: { messageId } } = await stack.send(client.tenant, {
    ...{ ...text, message: "Até amanhã", sentBy: "ai_agent", delayMessage: 3_600 },
  });
  const moved = await stack.request(`/messages-api/messages/${messageId}`, {
    method: "PATCH",
    headers: { "X-Client-Token": client.tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify({ sendAt: new Date().toISOString() }),
  });
  assertEquals([moved.status, moved.body.heldBy], [200, null]);
  await stack.dispatch();
  assertEquals(client.sent(), ["Sou uma pessoa", "Até amanhã"]);
});

Deno.test("blocking the contact or switching the agent off while the model thinks stops the answer", async () => {
  for (const table of ["contacts", "ai_agents"]) {
    await using client = await createAgentClient();
    const { admin } = client.webhooks.stack;
    await client.write("IN1", "oi");
    client.model.answer = async () => {
      if (table === "contacts") await admin`update messaging.contacts set is_blocked = true`;
      else await admin`update messaging.ai_agents set is_active = false`;
      return complete("Tarde demais");
    };
    await client.answer();
    assertEquals([table, client.sent(), await client.outbox()], [table, [], [["done", null]]]);
  }
});

Deno.test("without an active agent, or for a reaction, nobody is asked", async () => {
  await using client = await createAgentClient();
  const { admin } = client.webhooks.stack;
  await client.webhooks.receive(client.tenant, { messageId: "R1", reaction: { value: "👍" } });
  await admin`update messaging.ai_agents set is_active = false`;
  await client.write("IN1", "oi");
  assertEquals(await client.outbox(), []);
  await client.answer();
  assertEquals(client.model.requests.length, 0);
});

Deno.test("who sends a place, a business card or an order is answered too", async () => {
  for (
    const content of [
      { location: { latitude: -23.5, longitude: -46.6, name: "Loja", address: "Rua 1" } },
      { contact: { displayName: "Bia", vCard: "BEGIN:VCARD" } },
      { order: { itemCount: 2 } },
    ]
  ) {
    await using client = await createAgentClient();
    await client.webhooks.receive(client.tenant, { messageId: "IN1", ...content });
    await client.answer();
    assertEquals(client.model.requests.length, 1, Object.keys(content)[0]);
  }
});

Deno.test("a reaction does not keep a message that has its answer waiting", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  await client.answer();
  await client.webhooks.receive(client.tenant, { messageId: "R1", reaction: { value: "👍" } });
  // A row that was put back by hand finds nothing to answer.
  await client.webhooks.stack.admin`
    update messaging.outbox set status = 'pending', settled_at = null, run_at = now()`;
  await client.answer();
  assertEquals(client.model.requests.length, 1);
});

Deno.test("errors of the model are tried again with backoff and never reach the contact", async () => {
  await using client = await createAgentClient();
  const failures: readonly (readonly [() => Response, string])[] = [
    [() => Response.json({ error: { message: "overloaded" } }, { status: 500 }), "model_http_500"],
    [
      () => Response.json({ error: {} }, { status: 429, headers: { "retry-after": "60" } }),
      "model_http_429",
    ],
    [() => new Response("<html>", { headers: { "content-type": "text/html" } }), "model_"],
    [() => complete("   "), "model_said_nothing"],
  ];
  await client.write("IN1", "oi");
  let waitedSeconds = 0;
  for (const [fail, error] of failures) {
    client.model.answer = fail;
    // Measured from before the question, a pause is long enough however long the test takes to look.
    const [clock] = await client.webhooks.stack.admin<{ now: Date }[]>`
      select clock_timestamp() as now`;
    await client.answer();
    const [row] = await client.webhooks.stack.admin`
      select status, last_error, extract(epoch from run_at - ${clock!.now})::float as wait
      from messaging.outbox`;
    assertEquals(row?.["status"], "pending");
    assert(String(row?.["last_error"]).startsWith(error), row?.["last_error"]);
    assert(row?.["wait"] > Math.min(waitedSeconds, 40), `${row?.["wait"]} s`);
    waitedSeconds = row?.["wait"];
    await letTimePass(client.webhooks.stack.admin, 600);
  }
  assertEquals([client.model.requests.length, client.sent()], [4, []]);
  client.model.answer = () => complete("Agora sim.");
  await client.answer();
  assertEquals(client.sent(), ["Agora sim."]);
});

Deno.test("a model may ask for patience by seconds or by date, for ten minutes at most", async () => {
  await using client = await createAgentClient();
  const inFiveMinutes = new Date(Date.now() + 300_000).toUTCString();
  const requestedWaits = [["99999999", 600], [inFiveMinutes, 300], ["-5", 45]] as const;
  await client.write("IN1", "oi");
  for (const [requested, expected] of requestedWaits) {
    client.model.answer = () =>
      new Response(null, { status: 429, headers: { "retry-after": requested } });
    await client.answer();
    const [row] = await client.webhooks.stack.admin`
      select claim_token, extract(epoch from run_at - now())::float as wait from messaging.outbox`;
    assertEquals(row?.["claim_token"], null, requested);
    assert(Math.abs(row?.["wait"] - expected) < 15, `${requested}: ${row?.["wait"]} s`);
    await letTimePass(client.webhooks.stack.admin, 600);
  }
});

Deno.test("a model that points elsewhere has not answered", async () => {
  await using client = await createAgentClient();
  client.model.answer = ({ path }) =>
    path.endsWith("/elsewhere")
      ? complete("De outro lugar.")
      : new Response(null, { status: 302, headers: { location: "/elsewhere" } });
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals([client.sent(), client.model.requests.length], [[], 1]);
  assertEquals(await client.outbox(), [["pending", "model_http_302"]]);
});

Deno.test("an answer that no channel would carry whole is cut at the end of a sentence", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => complete("Abrimos às nove.\u0000 ".repeat(1_000));
  await client.write("IN1", "oi");
  await client.answer();
  const [sent] = client.sent();
  assert(typeof sent === "string" && sent.length <= 4_096 && sent.endsWith("nove."));
});

Deno.test("a model that never answers well is given up after five tries, visibly", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => new Response(null, { status: 503 });
  await client.write("IN1", "oi");
  for (let attempt = 0; attempt < 7; attempt++) {
    await client.answer();
    await letTimePass(client.webhooks.stack.admin, 1_000);
  }
  assertEquals(client.model.requests.length, 5);
  assertEquals(await client.outbox(), [["dead", "model_http_503"]]);
  assertEquals(client.sent(), []);
});
