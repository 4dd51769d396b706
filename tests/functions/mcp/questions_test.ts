import { assert, assertEquals } from "../../support/assert.ts";
import { type McpWorld, startMcpWorld, unquote } from "./mcp_world.ts";

const known = "5511987650001";

/** A template of the tenant's workspace that asks by quick replies. @returns its id. */
async function createTemplate({ admin, tenant }: McpWorld): Promise<string> {
  const buttons = ["Sim", "Não"].map((text) => ({ type: "QUICK_REPLY", text }));
  const components = [{ type: "BODY", text: "Shall we come?" }, { type: "BUTTONS", buttons }];
  const [template] = await admin`
    insert into messaging.message_templates ${
    admin({
      ...{ name: "visit", language: "pt_BR", parameter_format: "NAMED" },
      ...{ workspace_id: tenant.workspaceId, components: admin.json(components) },
    })
  } returning id`;
  return template?.["id"];
}

Deno.test("a model asks once for one intent, waits for the answer, and is told it parsed and quoted", async () => {
  await using world = await startMcpWorld();
  const contactId = await world.addContact(known);
  await using client = await world.connect();
  const question = {
    ...{ contactId, message: "Which day suits you?", intent: "visit-1" },
    ask: { accept: "date", answerWithin: "PT2H", key: "visit" },
  };
  const asked = await client.call("ask", question);
  assertEquals([asked.isError, asked.found.status], [false, "sent"], asked.text);
  const { questionId } = asked.found;
  assertEquals((await client.call("ask", question)).found.questionId, questionId);
  assertEquals(world.sent.length, 1);

  const open = await client.call("get_question", { id: questionId });
  assertEquals([open.found.status, open.found.answer], ["open", null], open.text);
  const waited = client.call("get_question", { id: questionId, waitSeconds: 20 });
  await world.receive(contactId, "25/12/2099");
  const { found, text } = await waited;
  assertEquals([found.status, found.accept, unquote(found.key)], ["answered", "date", "visit"]);
  assertEquals(unquote(found.answer.value), "2099-12-25", text);
  assertEquals(unquote(found.answer.text), "25/12/2099");
});

Deno.test("buttons and templates ask as well, and send_message takes ask", async () => {
  await using world = await startMcpWorld();
  const contactId = await world.addContact(known);
  await using client = await world.connect();
  const buttons = await client.call("ask", {
    ...{ contactId, messageType: "buttons", message: "Shall we come?", intent: "a" },
    buttons: [{ id: "yes", title: "Sim" }, { id: "no", title: "Não" }],
    ask: { answerWithin: "PT1H" },
  });
  assertEquals(buttons.isError, false, buttons.text);
  await world.receive(contactId, "sim!");
  const { found } = await client.call("get_question", { id: buttons.found.questionId });
  assertEquals([found.accept, found.status], ["choice", "answered"]);
  assertEquals(unquote(found.answer.choice.id), "yes");
  const template = await client.call("send_template", {
    ...{ contactId, templateId: await createTemplate(world), intent: "t" },
    ask: { answerWithin: "PT1H" },
  });
  assert(typeof template.found.questionId === "string", template.text);
  const text = await client.call("send_message", {
    ...{ contactId, message: "And when?", intent: "b", ask: { answerWithin: "PT1H" } },
  });
  assert(typeof text.found.questionId === "string", text.text);
});

Deno.test("what cannot be asked is refused by its field, and nothing is stored or sent", async () => {
  await using world = await startMcpWorld();
  const contactId = await world.addContact(known);
  await using client = await world.connect();
  const refuse = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { content, isError } = await client.client.callTool({
      name,
      arguments: { contactId, intent: crypto.randomUUID(), ...args },
    });
    assertEquals(isError, true, name);
    return (content as { text: string }[])[0]?.text ?? "";
  };
  const wrong: readonly (readonly [path: string, Record<string, unknown>])[] = [
    ["tool ask: ask: ", {}],
    ["tool ask: ask.answerWithin: ", { ask: {} }],
    ["tool ask: ask.answerWithin: ", { ask: { answerWithin: "2h" } }],
    ['"path":"ask.accept"', { ask: { answerWithin: "PT1H", accept: "choice" } }],
    ['"path":"ask.remindAfter"', { ask: { answerWithin: "PT1H", remindAfter: "PT2H" } }],
  ];
  for (const [path, ask] of wrong) {
    const refusal = await refuse("ask", { message: "?", ...ask });
    assert(refusal.includes(path), refusal);
  }
  // An answer must not leave for an address that a model was talked into.
  const ask = { answerWithin: "PT1H", notifyUrl: "https://hooks.example.com/x" };
  const templateId = await createTemplate(world);
  for (
    const [name, message] of [
      ["ask", { message: "?" }],
      ["send_message", { message: "?" }],
      ["send_template", { templateId }],
    ] as const
  ) {
    const refusal = await refuse(name, { ...message, ask });
    assert(refusal.includes(`tool ${name}: ask: Unrecognized key: "notifyUrl"`), refusal);
  }
  const none = await client.call("get_question", { id: crypto.randomUUID() });
  assertEquals([none.isError, none.found.error], [true, "question_not_found"]);
  const [stored] = await world.admin`select count(*)::integer as found from messaging.questions`;
  assertEquals([stored?.["found"], world.sent.length], [0, 0]);
});
