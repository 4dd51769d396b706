import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
} from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";

const path = "/ai/v1/chat/completions";
const bearer = { Authorization: "Bearer sk" };
const messages = [
  { role: "system", content: "You are the shop's assistant." },
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi!" },
  { role: "user", content: [{ type: "text", text: "Do you deliver on Sundays?" }] },
];

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: Record<string, number>;
}

Deno.test("the model's answer quotes the last user message, always in the same words", async () => {
  await using server = startSimulator();
  const first = await server.post(path, { model: "m", messages }, bearer);
  const second = await server.post(path, { model: "m", messages }, bearer);
  assertEquals(first.status, 200);
  const completion = first.json as Completion;
  const reply = completion.choices[0]?.message.content ?? "";
  assertStringIncludes(reply, "Do you deliver on Sundays?");
  assertEquals((second.json as Completion).choices, completion.choices);
  const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = completion.usage;
  assert(prompt_tokens > 0 && completion_tokens > 0);
  assertEquals(total_tokens, prompt_tokens + completion_tokens);
  const { items, total } = await server.read("/ai-calls");
  assertEquals(total, 2);
  assertObjectMatch(items[0] ?? {}, { model: "m", reply });
  assertEquals((items[0]?.messages as unknown[])[3], {
    role: "user",
    content: "Do you deliver on Sundays?",
  });
});

Deno.test("of several lines in a row the model quotes the last one", async () => {
  await using server = startSimulator();
  const lines = [{ role: "user", content: "[profile]\nHello\nDo you deliver?" }];
  const { json } = await server.post(path, { model: "m", messages: lines }, bearer);
  const reply = (json as Completion).choices[0]?.message.content ?? "";
  assertStringIncludes(reply, "“Do you deliver?”");
});

Deno.test("the model refuses a call without a key, without messages or as a stream", async () => {
  await using server = startSimulator();
  assertEquals((await server.post(path, { model: "m", messages })).status, 401);
  for (const body of [{ model: "m" }, { messages }, { model: "m", messages, stream: true }, "x"]) {
    const { status, json } = await server.post(path, body, bearer);
    assertEquals(status, 400);
    assertObjectMatch(json as object, { error: { type: "invalid_request_error" } });
  }
  assertEquals((await server.read("/ai-calls")).total, 0);
});

Deno.test("a planned fault makes the model fail", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "chat_completions", kind: "server_error", times: 2 });
  for (const expected of [500, 500, 200]) {
    assertEquals((await server.post(path, { model: "m", messages }, bearer)).status, expected);
  }
});
