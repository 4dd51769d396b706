import { assertEquals } from "../../support/assert.ts";
import { createAgent, createOperator } from "../../support/fixtures/tenant.ts";
import { contents, createContextClient } from "./context_client.ts";

const mediaUrl = "https://cdn.example.com/a/photo.jpg";

Deno.test("a conversation holds the items of the specification and nothing else", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact({ name: "Ana" });
  const question = await client.write(contact, {
    message: "Abre hoje?",
    sent_at: "2026-03-10T12:00:00.750Z",
    chat_name: "Ana Lima",
    is_group: true,
  });
  const reply = await client.write(contact, {
    direction: "outbound",
    status: "read",
    message: "Até as 18h.",
    card_id: "card-7",
    sent_at: "2026-03-10T12:01:00Z",
  });
  const answer = await client.read();
  assertEquals(Object.keys(answer.body), [
    ...["success", "phone", "period", "totalMessages", "hasMore", "conversation", "instanceInfo"],
  ]);
  assertEquals(answer.body.conversation, [
    {
      role: "user",
      sender: "Ana",
      content: "Abre hoje?",
      timestamp: Date.parse("2026-03-10T12:00:00Z") / 1_000,
      status: "received",
      messageId: question,
      messageType: "text",
      isGroup: true,
      chatName: "Ana Lima",
      cardId: null,
    },
    {
      role: "assistant",
      sender: "Loja",
      content: "Até as 18h.",
      timestamp: Date.parse("2026-03-10T12:01:00Z") / 1_000,
      status: "sent",
      messageId: reply,
      messageType: "text",
      isGroup: false,
      chatName: null,
      cardId: "card-7",
    },
  ]);
});

Deno.test("includeMeta=false leaves the five members that everyone needs", async () => {
  await using client = await createContextClient();
  await client.write(await client.createContact(), { message: "Oi", chat_name: "Ana" });
  const members = ["role", "sender", "content", "timestamp", "status"];
  const bare = await client.read({ includeMeta: "false" });
  assertEquals(Object.keys(bare.body.conversation[0]), members);
  const full = await client.read({ includeMeta: "true" });
  assertEquals(Object.keys(full.body.conversation[0]), [
    ...members,
    ...["messageId", "messageType", "isGroup", "chatName", "cardId"],
  ]);
});

Deno.test("a sent message is the operator's, the agent's or the instance's", async () => {
  await using client = await createContextClient();
  const { admin } = client.testDatabase;
  const operator = { name: "Rui", email: "rui@example.com" };
  const operatorId = await createOperator(admin, client.tenant.workspaceId, operator);
  const agentId = await createAgent(admin, client.tenant.instanceId);
  const contact = await client.createContact();
  const senders = [
    { operator_id: operatorId },
    { agent_id: agentId },
    { sent_by: "automation" },
    { operator_id: crypto.randomUUID(), agent_id: crypto.randomUUID() },
  ];
  for (const [index, columns] of senders.entries()) {
    const sent_at = `2026-03-10T12:00:0${index}Z`;
    await client.write(contact, { direction: "outbound", message: "Oi", sent_at, ...columns });
  }
  const items: { sender: string; role: string }[] = (await client.read()).body.conversation;
  assertEquals(items.map(({ sender }) => sender), ["Rui", "Ana", "Loja", "Loja"]);
  assertEquals(new Set(items.map(({ role }) => role)), new Set(["assistant"]));
});

Deno.test("a received message of a nameless contact is its phone's", async () => {
  await using client = await createContextClient();
  await client.write(await client.createContact(), { message: "Oi" });
  assertEquals((await client.read()).body.conversation[0].sender, "5511988887777");
});

Deno.test("attachments=false hides every media URL and says what there was", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  const media = [
    { message_type: "image", message: "Veja" },
    { message_type: "audio" },
    {
      message_type: "document",
      content: client.testDatabase.admin.json({ mediaUrl, mediaFilename: "a.pdf" }),
    },
    { message_type: "video" },
    { message_type: "video", direction: "inbound" },
  ];
  for (const [index, columns] of media.entries()) {
    const sent_at = `2026-03-10T12:00:0${index}Z`;
    await client.write(contact, {
      direction: "outbound",
      content: client.testDatabase.admin.json({ mediaUrl }),
      sent_at,
      ...columns,
    });
  }
  const shown = [`Veja\n${mediaUrl}`, mediaUrl, mediaUrl, mediaUrl, mediaUrl];
  assertEquals(contents(await client.read()), shown);
  assertEquals(contents(await client.read({ attachments: "true" })), shown);
  const hidden = await client.read({ attachments: "false" });
  assertEquals(contents(hidden), ["Veja\n[image]", "[audio]", "[document]", "[video]", "[video]"]);
  assertEquals(hidden.text.includes("cdn.example.com"), false);
});

Deno.test("option lists, choices and templates read as what people saw", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  const { admin } = client.testDatabase;
  await client.write(contact, {
    direction: "outbound",
    message_type: "option_list",
    message: "Quando?",
    content: admin.json({
      optionList: {
        title: "Horários",
        buttonLabel: "Ver",
        options: [{ id: "1", title: "Manhã", description: "8h" }, { id: "2", title: "Tarde" }],
      },
    }),
    sent_at: "2026-03-10T12:00:00Z",
  });
  await client.write(contact, {
    message_type: "option_list",
    content: admin.json({ choice: { id: "2", title: "Tarde" } }),
    sent_at: "2026-03-10T12:00:01Z",
  });
  await client.write(contact, {
    direction: "outbound",
    message_type: "template",
    message: "Olá, Ana: até amanhã.",
    content: admin.json({ template: { name: "lembrete", language: "pt_BR", components: [] } }),
    sent_at: "2026-03-10T12:00:02Z",
  });
  assertEquals(contents(await client.read()), [
    "Quando?\n- Manhã: 8h\n- Tarde",
    "Tarde",
    "Olá, Ana: até amanhã.",
  ]);
});
