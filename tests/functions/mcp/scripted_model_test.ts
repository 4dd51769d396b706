import { assertEquals } from "../../support/assert.ts";
import { startMcpWorld, unquote } from "./mcp_world.ts";

Deno.test("a model holds a whole case by the tools alone: finds the person, reads, tries a batch, answers, reads the status", async () => {
  await using world = await startMcpWorld();
  await world.addContact("5511987650007", "Bruno Lima");
  const anaId = await world.addContact("5511987650001", "Ana Souza");
  await world.receive(anaId, "Bom dia, o pedido 4711 já saiu?");
  await using model = await world.connect();

  // 1. Who is it about?
  const people = await model.call("find_contacts", { q: "souza" });
  assertEquals(people.found.items.length, 1, people.text);
  const [ana] = people.found.items;
  assertEquals([ana.contactId, unquote(ana.name)], [anaId, "Ana Souza"]);

  // 2. What was said last?
  const { contactId } = ana;
  const conversation = await model.call("read_conversation", { contactId, limit: 5 });
  const [last] = conversation.found.items.slice(-1);
  assertEquals([last.direction, unquote(last.message)], [
    "inbound",
    "Bom dia, o pedido 4711 já saiu?",
  ]);

  // 3. What would a message to both do? Nothing is stored by asking.
  const dryRun = await model.call("dry_run_batch", {
    message: { messageType: "text", message: "Hoje entregamos até as 20 h." },
    recipients: [{ contactId }, { phone: "5511987650007" }, { phone: "5511987650001" }],
  });
  assertEquals(dryRun.isError, false, dryRun.text);
  const { summary, items, nextIndex } = dryRun.found;
  assertEquals([summary.send, items.length, nextIndex], [2, 3, null], dryRun.text);
  assertEquals(world.sent, []);

  // 4. Answer once, though the call is repeated.
  const answer = { contactId, message: "Já saiu, Ana!", intent: `answer-to-${last.messageId}` };
  const sent = await model.call("send_message", answer);
  const repeated = await model.call("send_message", answer);
  assertEquals([sent.isError, repeated.found.messageId], [false, sent.found.messageId], sent.text);
  assertEquals(world.sent.length, 1);

  // 5. What became of it?
  const status = await model.call("get_message", { id: sent.found.messageId });
  assertEquals([status.found.status, unquote(status.found.message)], ["sent", "Já saiu, Ana!"]);
  const after = await model.call("read_conversation", { contactId });
  assertEquals(after.found.items.at(-1).messageId, sent.found.messageId);

  // And what it may need besides.
  assertEquals((await model.call("pause_agent", { contactId, minutes: 30 })).isError, false);
  assertEquals((await model.call("get_queue")).found.items, []);
  assertEquals((await model.call("get_health")).isError, false);
  assertEquals((await model.call("list_templates")).found.items, []);
  const conversations = await model.call("list_conversations", { awaitingReply: false });
  assertEquals(conversations.found.items[0]?.contactId, contactId);
});

Deno.test("a template of the workspace is listed, and sent by its id", async () => {
  await using world = await startMcpWorld();
  const { workspaceId, instanceId } = world.tenant;
  const other = await world.stack.createTenant();
  for (
    const [owner, of] of [[workspaceId, null], [workspaceId, instanceId], [other.workspaceId, null]]
  ) {
    await world.admin`
      insert into messaging.message_templates (
        workspace_id, instance_id, name, language, parameter_format, components, provider_status
      ) values (
        ${owner ?? null}, ${of ?? null}, 'pedido_pronto', ${
      of === null ? "pt_BR" : "pt_PT"
    }, 'NAMED',
        ${world.admin.json([{ type: "BODY", text: "Olá {{cliente}}, está pronto." }])}, 'APPROVED'
      )`;
  }
  await world.addContact("5511987650001");
  await using model = await world.connect();
  const { found } = await model.call("list_templates");
  assertEquals(found.items.length, 2);
  const [template] = found.items;
  // Instants of the service, in its form: nobody wrote them.
  for (const instant of [template.createdAt, template.updatedAt]) {
    assertEquals(new Date(instant).toISOString(), instant);
  }
  const sent = await model.call("send_template", {
    ...{ phone: "5511987650001", templateId: template.templateId, intent: "ready-1" },
    variables: { cliente: "Ana" },
  });
  assertEquals([sent.isError, world.sent.length], [false, 1], sent.text);
});
