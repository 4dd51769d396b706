import type { OfEachSendable } from "../../support/fixtures/one_of_each_type.ts";
import { assert, assertEquals, assertStringIncludes } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

type Issue = { readonly path: string };
type Body = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly name: string;
  readonly body: Body;
  readonly error?: string;
  /** Paths of all issues, sorted. */
  readonly paths?: readonly string[];
}

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };
const list = { title: "Menu", buttonLabel: "Abrir", options: [{ id: "a", title: "Um" }] };
const optionList = { phone, messageType: "option_list", message: "Escolha", optionList: list };
const media = (messageType: string, mediaUrl: string, rest: Body = {}): Body => ({
  phone,
  messageType,
  mediaUrl,
  ...rest,
});

const refusals: readonly Refusal[] = [
  { name: "no phone", body: { messageType: "text", message: "x" }, paths: ["phone"] },
  { name: "a phone that is a number", body: { ...text, phone: 5511987654321 }, paths: ["phone"] },
  ...["+5511987654321", "55 11 98765-4321", "1234567", "1234567890123456", "", "abc"].map((
    formatted,
  ) => ({
    name: `phone "${formatted}"`,
    body: { ...text, phone: formatted },
    error: "invalid_phone",
  })),
  { name: "nothing to do", body: { phone }, paths: ["message"] },
  { name: "a type alone", body: { phone, messageType: "text" }, paths: ["message"] },
  { name: "no messageType", body: { phone, message: "x" }, paths: ["messageType"] },
  {
    name: "an unknown messageType",
    body: { phone, messageType: "poll", message: "x" },
    paths: ["messageType"],
  },
  ...["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", { toString: null }].map(
    (messageType) => ({
      name: `messageType ${JSON.stringify(messageType)}`,
      body: { phone, messageType, message: "x", mediaUrl: "https://a.example.com/a.png" },
      paths: ["messageType"],
    }),
  ),
  {
    name: "an image without mediaUrl",
    body: { phone, messageType: "image", message: "x" },
    paths: ["mediaUrl"],
  },
  {
    name: "a text without message",
    body: { phone, messageType: "text", mediaUrl: "https://a.example.com/a.png" },
    paths: ["mediaUrl", "message"],
  },
  {
    name: "audio with message",
    body: media("audio", "https://a.example.com/a.mp3", { message: "x" }),
    paths: ["message"],
  },
  {
    name: "an option list without message",
    body: { phone, messageType: "option_list", optionList: list },
    paths: ["message"],
  },
  {
    name: "an option list without the list",
    body: { phone, messageType: "option_list", message: "x" },
    paths: ["optionList"],
  },
  {
    name: "an option list without its parts",
    body: { ...optionList, optionList: {} },
    paths: ["optionList.buttonLabel", "optionList.options", "optionList.title"],
  },
  {
    name: "no option",
    body: { ...optionList, optionList: { ...list, options: [] } },
    paths: ["optionList.options"],
  },
  {
    name: "eleven options",
    body: {
      ...optionList,
      optionList: { ...list, options: Array.from({ length: 11 }, (_, i) => ({ title: `${i}` })) },
    },
    paths: ["optionList.options"],
  },
  {
    name: "an option without title",
    body: { ...optionList, optionList: { ...list, options: [{ id: "a" }] } },
    paths: ["optionList.options.0.title"],
  },
  {
    name: "two options with one id",
    body: {
      ...optionList,
      optionList: { ...list, options: [{ id: "a", title: "1" }, { id: "a", title: "2" }] },
    },
    paths: ["optionList.options.1.id"],
  },
  ...[
    ["http://a.example.com/a.png", "image"],
    ["https://127.0.0.1/a.png", "image"],
    ["https://10.1.2.3/a.png", "image"],
    ["https://169.254.169.254/a.png", "image"],
    ["https://[::1]/a.png", "image"],
    ["https://localhost/a.png", "image"],
    ["https://user:pass@a.example.com/a.png", "image"],
    ["https://a.example.com/a.exe", "document"],
    ["https://a.example.com/a.pdf", "image"],
    ["https://a.example.com/a.mp4", "image"],
    ["https://a.example.com/a.png", "audio"],
    ["https://a.example.com/a.mp4", "audio"],
    ["https://a.example.com/a.png", "video"],
    ["https://a.example.com/a.mp3", "video"],
    ["not a url", "document"],
  ].map(([url = "", type = ""]) => ({
    name: `${type} at ${url}`,
    body: media(type, url),
    paths: ["mediaUrl"],
  })),
  { name: "delayMessage below 0", body: { ...text, delayMessage: -1 }, paths: ["delayMessage"] },
  {
    name: "delayMessage over a day",
    body: { ...text, delayMessage: 86_401 },
    paths: ["delayMessage"],
  },
  { name: "delayTyping over 60 s", body: { ...text, delayTyping: 60_001 }, paths: ["delayTyping"] },
  {
    name: "intervalSeconds 9",
    body: { ...text, queued: true, intervalSeconds: 9 },
    paths: ["intervalSeconds"],
  },
  {
    name: "intervalSeconds 3601",
    body: { ...text, queued: true, intervalSeconds: 3_601 },
    paths: ["intervalSeconds"],
  },
  {
    name: "wrong types, all at once",
    body: {
      phone: true,
      messageType: "text",
      message: 5,
      queued: "true",
      portfolio: "yes",
      delayMessage: "10",
      cardId: {},
      assignTo: 7,
      sentBy: 12,
    },
    paths: [
      "assignTo",
      "cardId",
      "delayMessage",
      "message",
      "phone",
      "portfolio",
      "queued",
      "sentBy",
    ],
  },
  {
    name: "faults of fields and between fields together",
    body: { phone: "+55", messageType: "image", message: "x", intervalSeconds: 1 },
    error: "invalid_phone",
    paths: ["intervalSeconds", "mediaUrl", "phone"],
  },
  {
    name: "what is wrong apart from a type that is not told, or unknown",
    body: { phone, mediaUrl: "http://127.0.0.1/x.jpg" },
    paths: ["mediaUrl", "messageType"],
  },
  {
    name: "an unknown type beside a file of no type",
    body: { phone, messageType: "film", mediaUrl: "https://example.com/x.exe" },
    paths: ["mediaUrl", "messageType"],
  },
  {
    name: "ids that repeat in a list that lacks its button",
    body: {
      phone,
      messageType: "option_list",
      message: "Quando?",
      optionList: { title: "T", options: [{ id: "a", title: "x" }, { id: "a", title: " " }] },
    },
    paths: ["optionList.buttonLabel", "optionList.options.1.id", "optionList.options.1.title"],
  },
  {
    name: "an empty message, told once",
    body: { phone, messageType: "text", message: "" },
    paths: ["message"],
  },
];

Deno.test("what a message type needs is named field by field, and sentBy may be any text of 1 to 64 characters", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const needed: OfEachSendable<readonly string[]> = {
    text: ["message"],
    image: ["mediaUrl"],
    video: ["mediaUrl"],
    audio: ["mediaUrl"],
    document: ["mediaUrl"],
    option_list: ["optionList", "message"],
    sticker: ["mediaUrl"],
    voice: ["mediaUrl"],
    location: ["location"],
    contacts: ["contacts"],
    buttons: ["buttons", "message"],
    link_button: ["linkButton", "message"],
    location_request: ["message"],
    contact_request: ["message"],
    payment_request: ["payment", "message"],
    reaction: ["reaction"],
  };
  for (const [messageType, paths] of Object.entries(needed)) {
    const { status, body } = await stack.send(tenant, { phone, messageType });
    assertEquals([status, body.issues.map((issue: Issue) => issue.path)], [400, paths]);
    const isFile = paths[0] === "mediaUrl";
    assertEquals(body.issues[0].message.includes("mediaId"), isFile, messageType);
  }
  const sendAs = (sentBy: string) =>
    stack.send(tenant, { phone, messageType: "text", message: "oi", sentBy });
  for (const sentBy of ["x", " ", "x".repeat(64), "😀".repeat(64)]) {
    assertEquals((await sendAs(sentBy)).status, 200, sentBy);
  }
  for (const sentBy of ["a\u0007b", "x".repeat(65)]) {
    const { status, body } = await sendAs(sentBy);
    assertEquals([status, body.issues.map((issue: Issue) => issue.path)], [400, ["sentBy"]]);
  }
});

Deno.test("the scheme of a media URL reaches the provider in lower case", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaUrl = "HTTPS://Files.Example.com/A.jpg";
  assertEquals((await stack.send(tenant, { phone, messageType: "image", mediaUrl })).status, 200);
  assertEquals(stack.provider.requests[0]?.json["image"], "https://Files.Example.com/A.jpg");
});

Deno.test("POST /send-message reports every fault of a body at once, stores nothing and calls no provider", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const { name, body, error = "invalid_request", paths = ["phone"] } of refusals) {
    const answer = await stack.send(tenant, body);
    assertEquals(answer.status, 400, name);
    assertEquals(answer.body.success, false, name);
    assertEquals(answer.body.error, error, name);
    assert(answer.body.message.length > 10, name);
    const told = answer.body.issues.map((issue: Issue) => issue.path).sort();
    assertEquals(told, paths, name);
    for (const issue of answer.body.issues) assert(issue.message.length > 3, name);
  }
  await assertNothingHappened(stack);
});

Deno.test("an invalid phone points to sanitize-phone-number", async () => {
  await using stack = await startMessagingStack();
  const answer = await stack.send(await stack.createTenant(), { ...text, phone: "+55 11 98765" });
  assertStringIncludes(answer.body.message, "sanitize-phone-number");
});

Deno.test("a number that cannot exist is invalid_phone whatever else is wrong, and the message asks for the country code", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const impossible of ["11988887777", "10988887777", "011988887777"]) {
    for (const body of [text, { messageType: "image", delayTyping: -1 }]) {
      const answer = await stack.send(tenant, { ...body, phone: impossible });
      assertEquals([answer.status, answer.body.error], [400, "invalid_phone"], impossible);
      assertStringIncludes(answer.body.message, "country code");
      const issue = answer.body.issues.find(({ path }: Issue) => path === "phone");
      assertStringIncludes(issue.message, "country code");
    }
  }
  await assertNothingHappened(stack);
  assertEquals((await stack.send(tenant, { ...text, phone: "12025550123" })).status, 200);
});

Deno.test("NUL and half a surrogate pair are refused with their place, beside other faults too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const send = (json: string) =>
    stack.request("/send-message", {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
      body: `{"instanceId":"${tenant.instanceId}","phone":"${phone}","messageType":"text",${json}}`,
    });
  for (
    const [json, path] of [
      ['"message":"a\\u0000b"', "message"],
      ['"message":"a\\ud83d"', "message"],
      ['"message":"a\\uDE00b"', "message"],
      ['"message":"a","cardId":"\\u0000"', "cardId"],
      ['"message":"a","instanceId":"\\ud800"', "instanceId"],
      ['"message":"a\\u0000b","delayTyping":-1', "delayTyping,message"],
    ] as const
  ) {
    const answer = await send(json);
    assertEquals(answer.status, 400, json);
    assertEquals(answer.body.error, "invalid_request", json);
    assertEquals(answer.body.issues.map((issue: Issue) => issue.path).join(), path, json);
  }
  await assertNothingHappened(stack);
  const whole = await send('"message":"\\ud83d\\ude00 \\\\u0000"');
  assertEquals(whole.status, 200);
  assertEquals(stack.provider.requests[0]?.json["message"], "😀 \\u0000");
});

Deno.test("what the instance's channel cannot carry is refused before anything is stored", async () => {
  await using stack = await startMessagingStack();
  const official = await stack.createTenant({ provider: "whatsapp_cloud" });
  const wav = await stack.send(official, media("audio", "https://a.example.com/a.wav"));
  assertEquals([wav.status, wav.body.error], [400, "invalid_request"]);
  assertEquals(wav.body.issues[0].path, "mediaUrl");
  const long = await stack.send(official, {
    ...optionList,
    optionList: { ...list, buttonLabel: "x".repeat(21), options: [{ title: "y".repeat(25) }] },
  });
  assertEquals(
    long.body.issues.map((issue: Issue) => issue.path).sort(),
    ["optionList.buttonLabel", "optionList.options.0.title"],
  );
  const queued = await stack.send(official, {
    ...media("audio", "https://a.example.com/a.wav"),
    queued: true,
  });
  assertEquals(queued.status, 400);
  await assertNothingHappened(stack);
});

Deno.test("an official instance without phoneNumberId is not configured for sending", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({
    provider: "whatsapp_cloud",
    providerConfig: { phoneNumberId: undefined },
  });
  for (const rest of [{}, { queued: true }]) {
    const answer = await stack.send(tenant, { ...text, ...rest });
    assertEquals(
      [answer.status, answer.body.error],
      [400, "provider_outbound_channel_not_configured"],
    );
  }
  await assertNothingHappened(stack);
});

Deno.test("unknown fields are ignored and named in ignoredFields", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (
    const unknown of [
      { colour: 5, agentId: null },
      { q: "\ud800", zzz: "a\u0000b", deep: [{ "\u0000": "\udc00" }], "\ud800": 1 },
    ]
  ) {
    const answer = await stack.send(tenant, { ...text, ...unknown });
    assertEquals([answer.status, answer.body.mode], [200, "sent"]);
    assertEquals(answer.body.ignoredFields, Object.keys(unknown));
  }
});

async function assertNothingHappened(stack: MessagingStack): Promise<void> {
  const [counts] = await stack.admin`
    select (select count(*)::int from messaging.contacts) as contacts,
      (select count(*)::int from messaging.messages) as messages,
      (select count(*)::int from messaging.message_queue) as queue,
      (select count(*)::int from messaging.outbox) as outbox,
      (select count(*)::int from messaging.idempotency_keys) as keys`;
  assertEquals({ ...counts }, { contacts: 0, messages: 0, queue: 0, outbox: 0, keys: 0 });
  assertEquals(stack.provider.requests.length, 0);
}
