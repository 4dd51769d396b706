import { assert, assertEquals } from "../../support/assert.ts";
import { contents, createContextClient } from "./context_client.ts";

Deno.test("of more than limit the newest are taken and returned oldest first", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  for (const minute of [3, 1, 5, 2, 4]) {
    await client.write(contact, { message: `${minute}`, sent_at: `2026-03-10T12:0${minute}:00Z` });
  }
  const read = async (limit?: string): Promise<unknown[]> => {
    const answer = await client.read({ limit });
    return [contents(answer).join(""), answer.body.totalMessages, answer.body.hasMore];
  };
  assertEquals(await read(), ["12345", 5, false]);
  assertEquals(await read("6"), ["12345", 5, false]);
  assertEquals(await read("5"), ["12345", 5, false]);
  assertEquals(await read("4"), ["2345", 4, true]);
  assertEquals(await read("1"), ["5", 1, true]);
});

Deno.test("limit is 100 unless given", async () => {
  await using client = await createContextClient();
  const { instanceId, contactId, conversationId } = await client.createContact();
  await client.testDatabase.admin`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status, sent_at
    )
    select ${instanceId}, ${contactId}, ${conversationId}, 'inbound', 'text', n::text, 'received',
      '2026-03-10T12:00:00Z'::timestamptz + n * interval '1 second'
    from generate_series(1, 1001) as n`;
  const answer = await client.read();
  assertEquals([answer.body.totalMessages, answer.body.hasMore], [100, true]);
  assertEquals([contents(answer)[0], contents(answer)[99]], ["902", "1001"]);
  const most = await client.read({ limit: "1000", format: "raw" });
  assertEquals([most.body.totalMessages, most.body.messages.length, most.body.hasMore], [
    1000,
    1000,
    true,
  ]);
});

Deno.test("messages of one instant keep the order in which they came", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  for (const message of ["c", "a", "d", "b"]) {
    const second = message.charCodeAt(0) - 97;
    await client.write(contact, { message, created_at: `2026-03-10T12:00:1${second}Z` });
  }
  assertEquals(contents(await client.read()), ["a", "b", "c", "d"]);
  assertEquals(contents(await client.read({ limit: "2" })), ["c", "d"]);
});

Deno.test("messages that are told to the millisecond stand in that order, however they came", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  for (const [index, milliseconds] of ["900", "100", "500"].entries()) {
    await client.write(contact, {
      message: milliseconds,
      created_at: `2026-03-10T12:00:06.${index}00Z`,
      sent_at: `2026-03-10T12:00:05.${milliseconds}Z`,
    });
  }
  assertEquals(contents(await client.read()), ["100", "500", "900"]);
});

Deno.test("a reply dated to the whole second stands after the message of ours that it answers", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  const ours = { direction: "outbound", sent_at: "2026-03-10T12:00:05.600Z" };
  await client.write(contact, {
    ...ours,
    message: "at once",
    created_at: "2026-03-10T12:00:05.500Z",
  });
  await client.write(contact, {
    message: "reply",
    created_at: "2026-03-10T12:00:05.900Z",
    sent_at: "2026-03-10T12:00:05Z",
  });
  await client.write(contact, {
    ...ours,
    message: "queued for long",
    created_at: "2026-03-10T11:00:00Z",
    scheduled_for: "2026-03-10T12:00:05.950Z",
    sent_at: "2026-03-10T12:00:05.990Z",
  });
  const said = ["at once", "reply", "queued for long"];
  assertEquals(contents(await client.read()), said);
  assertEquals(contents(await client.read({ limit: "1" })), ["queued for long"]);
});

Deno.test("only what was really sent or received is history", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  for (const status of ["queued", "sending", "failed", "canceled", "unconfirmed"]) {
    for (const sent_at of [null, "2026-03-10T12:00:00Z"]) {
      await client.write(contact, { direction: "outbound", status, sent_at, message: status });
    }
  }
  assertEquals((await client.read()).body.conversation, []);
  for (const [index, status] of ["sent", "delivered", "read"].entries()) {
    await client.write(contact, {
      direction: "outbound",
      status,
      message: status,
      sent_at: `2026-03-10T12:00:0${index}Z`,
    });
  }
  assertEquals(contents(await client.read()), ["sent", "delivered", "read"]);
});

Deno.test("fromMe is the sent ones, the received ones or both, before the limit is counted", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  for (const [index, direction] of ["outbound", "inbound", "outbound", "inbound"].entries()) {
    const sent_at = `2026-03-10T12:00:0${index}Z`;
    await client.write(contact, { direction, message: `${index}`, sent_at });
  }
  assertEquals(contents(await client.read()), ["0", "1", "2", "3"]);
  assertEquals(contents(await client.read({ fromMe: "true" })), ["0", "2"]);
  assertEquals(contents(await client.read({ fromMe: "false" })), ["1", "3"]);
  const newest = await client.read({ fromMe: "true", limit: "1" });
  assertEquals([contents(newest), newest.body.hasMore], [["2"], true]);
  const all = await client.read({ fromMe: "true", limit: "2" });
  assertEquals([contents(all), all.body.hasMore], [["0", "2"], false]);
});

Deno.test("both spellings of a phone read one conversation, and the phone is told as asked", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact({ phone: "551188887777" });
  await client.write(contact, { message: "Oi" });
  for (const phone of ["551188887777", "5511988887777"]) {
    const answer = await client.read({ phone });
    assertEquals(contents(answer), ["Oi"]);
    assertEquals(answer.body.phone, phone);
    assertEquals(answer.body.conversation[0].sender, "551188887777");
  }
});

Deno.test("an address proven to be a contact's reads its conversation", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  await client.write(contact, { message: "Oi" });
  await client.testDatabase.admin`
    insert into messaging.contact_addresses (instance_id, address, contact_id)
    values (${contact.instanceId}, '123456789012345', ${contact.contactId})`;
  assertEquals(contents(await client.read({ phone: "123456789012345" })), ["Oi"]);
});

Deno.test("the same phone on another instance is another conversation", async () => {
  await using client = await createContextClient();
  const other = await client.createTenant({ workspaceId: client.tenant.workspaceId });
  await client.write(await client.createContact({ tenant: other }), { message: "theirs" });
  assertEquals(contents(await client.read()), []);
  await client.write(await client.createContact(), { message: "ours" });
  assertEquals(contents(await client.read()), ["ours"]);
});

Deno.test("an unknown phone gives an empty conversation and creates nothing", async () => {
  await using client = await createContextClient();
  const { instanceId, gatewayInstanceId } = client.tenant;
  const answer = await client.read({ phone: "5511900000000" });
  assertEquals([answer.status, answer.body], [200, {
    success: true,
    phone: "5511900000000",
    period: { start: "2026-03-01", end: "2026-03-31" },
    totalMessages: 0,
    hasMore: false,
    conversation: [],
    instanceInfo: { instanceId, gatewayInstanceId },
  }]);
  const [rows] = await client.testDatabase.admin`
    select (select count(*)::int from messaging.contacts) as contacts,
      (select count(*)::int from messaging.conversations) as conversations`;
  assertEquals({ ...rows }, { contacts: 0, conversations: 0 });
});

Deno.test("a contact without a conversation or without messages reads as empty", async () => {
  await using client = await createContextClient();
  await client.createContact();
  const answer = await client.read();
  assertEquals([answer.body.conversation, answer.body.hasMore], [[], false]);
});

const mebibyte = 1024 * 1024;

Deno.test("a page is at most 1 MiB in both formats: beyond it the newest stay and hasMore says so", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact({ name: "Á".repeat(500) });
  // Escapes, characters of several bytes, and texts so short that the members around them count.
  const texts = ["x", "\u0001", "😀", '"\n'].map((sign) => sign.repeat(65_536 / sign.length));
  let minute = 0;
  for (const text of [...texts, ...texts, ...texts, ...texts, ...texts]) {
    const sent_at = new Date(Date.parse("2026-03-10T12:00:00Z") + minute * 60_000).toISOString();
    await client.write(contact, { message: text, sent_at });
    minute += 1;
  }
  await client.write(contact, { message: "the newest", sent_at: "2026-03-11T12:00:00Z" });
  for (const format of ["conversation", "raw"]) {
    const { body, text } = await client.read({ limit: "1000", format });
    const bytes = new TextEncoder().encode(text).length;
    const items: readonly { content?: string; message?: string }[] = body.conversation ??
      body.messages;
    assert(bytes <= mebibyte && bytes > mebibyte / 2, `${format}: ${bytes} bytes`);
    assertEquals([body.hasMore, body.totalMessages], [true, items.length], format);
    const last = items.at(-1);
    assertEquals(last?.content ?? last?.message, "the newest", format);
  }
});

Deno.test("a page of 1,000 short messages of a contact with a long name is at most 1 MiB too", async () => {
  await using client = await createContextClient();
  const { instanceId, contactId, conversationId } = await client.createContact({
    name: "😀".repeat(250),
  });
  await client.testDatabase.admin`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status, sent_at
    )
    select ${instanceId}, ${contactId}, ${conversationId}, 'inbound', 'text', n::text, 'received',
      '2026-03-10T12:00:00Z'::timestamptz + n * interval '1 second'
    from generate_series(1, 1000) as n`;
  for (const format of ["conversation", "raw"]) {
    const { body, text } = await client.read({ limit: "1000", format });
    assert(new TextEncoder().encode(text).length <= mebibyte, format);
    assertEquals(body.hasMore, body.totalMessages < 1_000, format);
  }
});

Deno.test("what messages hold beside their words counts for the 1 MiB of a page too", async () => {
  await using client = await createContextClient();
  const contact = await client.createContact();
  const components = [{ type: "body", parameters: [{ type: "text", text: "x".repeat(60_000) }] }];
  const template = { name: "aviso", language: "pt_BR", components };
  for (let minute = 10; minute < 30; minute++) {
    await client.write(contact, {
      direction: "outbound",
      message_type: "template",
      message: `Aviso ${minute}`,
      content: client.testDatabase.admin.json({ template }),
      sent_at: `2026-03-10T12:${minute}:00Z`,
    });
  }
  const { body, text } = await client.read({ limit: "1000", format: "raw" });
  assert(new TextEncoder().encode(text).length <= mebibyte);
  assertEquals([body.totalMessages, body.hasMore], [17, true]);
  assertEquals(body.messages.at(-1).message, "Aviso 29");
});
