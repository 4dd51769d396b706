import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { type AgentClient, complete, createAgentClient } from "./agent_client.ts";

/** A completion of one choice with these members. */
function choose(choice: object, headers = {}): Response {
  const body = { id: "c1", object: "chat.completion", choices: [{ index: 0, ...choice }] };
  return Response.json(body, { headers });
}

function refuse(status: number, error: object): Response {
  return Response.json({ error }, { status });
}

/** The texts that the last question held beside the instructions, in bytes. */
function askedBytes({ model }: AgentClient): number[] {
  return model.requests.map(({ json }) => {
    const [, ...said] = json["messages"] as { content: string }[];
    return new TextEncoder().encode(said.map(({ content }) => content).join("")).length;
  });
}

Deno.test("reasoning never reaches a contact, wherever the model leaves it", async () => {
  const answers = [
    { content: "<think>segredo</think>Olá!" },
    { content: "<|channel|>analysis<|message|>segredo<|end|><|channel|>final<|message|>Olá!" },
    { content: "Olá!", reasoning_content: "segredo", reasoning: "segredo" },
    { content: [{ type: "thinking", thinking: "segredo" }, { type: "text", text: "Olá!" }] },
  ];
  await using client = await createAgentClient();
  for (const [place, message] of answers.entries()) {
    client.model.answer = () => choose({ finish_reason: "stop", message });
    await client.write(`IN${place}`, "oi");
    await client.answer();
  }
  assertEquals(client.sent(), answers.map(() => "Olá!"));
});

Deno.test("a model that only reasoned has said nothing, and is asked again", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => complete("<think>o cliente disse oi, segredo");
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals([client.sent(), await client.outbox()], [[], [["pending", "model_said_nothing"]]]);
});

Deno.test("a filtered answer is dropped at once, and the contact's next message asks anew", async () => {
  await using client = await createAgentClient();
  const message = { role: "assistant", content: "Para fazer isso, primeiro" };
  const filtered = [
    () => choose({ finish_reason: "content_filter", message }),
    () => refuse(400, { code: "content_filter", message: "filtered" }),
  ];
  for (const [place, answer] of filtered.entries()) {
    client.model.answer = answer;
    await client.write(`IN${place}`, "oi");
    await client.answer();
    assertEquals((await client.outbox()).at(-1), ["dead", "model_answer_filtered"]);
  }
  assertEquals(client.sent(), []);
  client.model.answer = () => complete("Olá!");
  await client.write("IN3", "oi?");
  await client.answer();
  assertEquals(client.sent(), ["Olá!"]);
});

Deno.test("an answer that broke off at the limit of tokens is sent as far as its last sentence", async () => {
  await using client = await createAgentClient();
  const message = { role: "assistant", content: "Abrimos às nove. Fechamos às dez" };
  client.model.answer = () => choose({ finish_reason: "length", message });
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.sent(), ["Abrimos às nove."]);
});

Deno.test("a completion that is sent as text/plain is read", async () => {
  await using client = await createAgentClient();
  const message = { role: "assistant", content: "Olá!" };
  client.model.answer = () =>
    choose({ finish_reason: "stop", message }, { "content-type": "text/plain; charset=utf-8" });
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.sent(), ["Olá!"]);
});

Deno.test("retry-after-ms is kept to, before Retry-After beside it", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "oi");
  const requestedWaits = [
    [{ "retry-after-ms": "90000" }, 90],
    [{ "retry-after-ms": "120000.5", "retry-after": "300" }, 120],
    [{ "retry-after-ms": "soon", "retry-after": "300" }, 300],
  ] as const;
  for (const [headers, expected] of requestedWaits) {
    client.model.answer = () => new Response(null, { status: 429, headers });
    await client.answer();
    const [row] = await client.webhooks.stack.admin`
      select extract(epoch from run_at - now())::float as wait from messaging.outbox`;
    assert(Math.abs(row?.["wait"] - expected) < 15, `${expected}: ${row?.["wait"]} s`);
    await letTimePass(client.webhooks.stack.admin, 600);
  }
});

Deno.test("forty long messages do not silence the agent: what the model is asked is bounded", async () => {
  await using client = await createAgentClient();
  client.model.answer = ({ json }) =>
    JSON.stringify(json).length > 64_000 ? refuse(413, { message: "too large" }) : complete("Olá!");
  for (let place = 0; place < 40; place++) {
    await client.write(`IN${place}`, `${place} ${"ção ".repeat(5_000)}`);
  }
  await client.answer();
  assertEquals([client.model.requests.length, client.sent()], [1, ["Olá!"]]);
  const [asked = []] = client.asked();
  assert(asked.at(-1)?.startsWith("39 ção") && asked.at(-1)?.endsWith(" […]"));
});

Deno.test("a model that finds the conversation too long is asked with half of it, at once", async () => {
  const refusals = [
    () => refuse(413, { message: "Request too large" }),
    () => refuse(400, { code: "context_length_exceeded", message: "…" }),
    () => refuse(400, { message: "This model's maximum context length is 4096 tokens." }),
    () => refuse(400, { type: "exceed_context_size_error", message: "…" }),
    () => refuse(422, { message: "`inputs` tokens + `max_new_tokens` must be <= 4097" }),
  ];
  for (const answer of refusals) {
    await using client = await createAgentClient();
    client.model.answer = () => client.model.requests.length < 3 ? answer() : complete("Olá!");
    for (let place = 0; place < 8; place++) {
      await client.write(`IN${place}`, `${place} ${"a".repeat(8_000)}`);
    }
    await client.answer();
    const bytes = askedBytes(client);
    assertEquals(bytes.map((size) => Math.round(size / 1_000)), [32, 16, 8]);
    assertEquals([client.sent(), await client.outbox()], [["Olá!"], [["done", null]]]);
  }
});

Deno.test("a model that takes no conversation at all is given up visibly; another refusal is not asked again at once", async () => {
  await using client = await createAgentClient();
  client.model.answer = () => refuse(413, { message: "too large" });
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.model.requests.length, 4);
  assertEquals(await client.outbox(), [["pending", "model_prompt_too_long"]]);
  client.model.answer = () => refuse(400, { message: "Unknown model." });
  await letTimePass(client.webhooks.stack.admin, 600);
  await client.answer();
  assertEquals(client.model.requests.length, 5);
  assertEquals(await client.outbox(), [["pending", "model_http_400"]]);
});
