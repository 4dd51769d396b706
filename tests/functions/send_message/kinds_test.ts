import { assert, assertEquals } from "../../support/assert.ts";
import { providerKinds } from "../../../shared/model/provider_kind.ts";
import type { LossyContent } from "../../support/providers/facts.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { oneOfEachType, toRequest } from "../../support/fixtures/one_of_each_type.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createOperator, type Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

const phone = "5511987654321";
const providers = ["whatsapp_cloud", "zapi", "evolution"] as const;

type Json = Record<string, unknown>;

const envelope = new Set([
  ...["messaging_product", "recipient_type", "to", "phone", "number"],
  "biz_opaque_callback_data",
]);

/** The verb and the members of the newest call, without the envelope. */
function readCall(stack: MessagingStack): readonly [string, Json] {
  const { path = "", json = {} } = stack.provider.requests.at(-1) ?? {};
  const verb = path.split("/").find((segment) => /^send[-A-Z]/.test(segment)) ?? "messages";
  return [verb, Object.fromEntries(Object.entries(json).filter(([name]) => !envelope.has(name)))];
}

const { contacts } = oneOfEachType;
const coordinates = "-23.56, -46.65";
const interactive = (members: Json): Json => ({ type: "interactive", interactive: members });

/** What each kind is on the wire (field.md 1.1 to 1.3 of the providers' documentation). */
const wire: readonly {
  readonly body: Json;
  readonly cloud: Json;
  readonly zapi: readonly [string, Json];
  readonly evolution: readonly [string, Json];
}[] = [
  {
    body: { messageType: "location", location: { latitude: -23.56, longitude: -46.65 } },
    cloud: { type: "location", location: { latitude: -23.56, longitude: -46.65 } },
    zapi: ["send-location", {
      ...{ title: coordinates, address: coordinates },
      ...{ latitude: "-23.56", longitude: "-46.65" },
    }],
    evolution: ["sendLocation", {
      ...{ latitude: -23.56, longitude: -46.65, name: coordinates, address: coordinates },
    }],
  },
  {
    body: toRequest(contacts),
    cloud: {
      type: "contacts",
      contacts: [{
        name: { formatted_name: "Ana", first_name: "Ana" },
        phones: [{ phone: "+5511987654321", wa_id: "5511987654321" }],
        emails: [{ email: "ana@example.com" }],
        org: { company: "Loja" },
        urls: [{ url: "https://example.com/ana" }],
      }],
    },
    zapi: ["send-contacts", { contacts: [{ name: "Ana", phones: ["5511987654321"] }] }],
    evolution: ["sendContact", {
      contact: [{
        ...{ fullName: "Ana", phoneNumber: "5511987654321", organization: "Loja" },
        ...{ email: "ana@example.com", url: "https://example.com/ana" },
      }],
    }],
  },
  {
    body: { messageType: "sticker", mediaUrl: "https://a.example.com/a.webp" },
    cloud: { type: "sticker", sticker: { link: "https://a.example.com/a.webp" } },
    zapi: ["send-sticker", { sticker: "https://a.example.com/a.webp" }],
    evolution: ["sendSticker", { sticker: "https://a.example.com/a.webp" }],
  },
  {
    body: { messageType: "voice", mediaUrl: "https://a.example.com/a.ogg" },
    cloud: { type: "audio", audio: { link: "https://a.example.com/a.ogg", voice: true } },
    zapi: ["send-audio", { audio: "https://a.example.com/a.ogg" }],
    evolution: ["sendWhatsAppAudio", { audio: "https://a.example.com/a.ogg" }],
  },
  {
    body: {
      messageType: "buttons",
      message: "Certo?",
      buttons: [{ title: "Sim" }, { id: "n", title: "Não" }],
      header: { text: "Pedido" },
      footer: "Loja",
    },
    cloud: interactive({
      type: "button",
      header: { type: "text", text: "Pedido" },
      body: { text: "Certo?" },
      footer: { text: "Loja" },
      action: {
        buttons: [
          { type: "reply", reply: { id: "1", title: "Sim" } },
          { type: "reply", reply: { id: "n", title: "Não" } },
        ],
      },
    }),
    zapi: ["send-button-list", {
      message: "Pedido\n\nCerto?\n\nLoja",
      buttonList: { buttons: [{ id: "1", label: "Sim" }, { id: "n", label: "Não" }] },
    }],
    evolution: ["sendText", { text: "Pedido\n\nCerto?\n\n1. Sim\n2. Não\n\nLoja" }],
  },
  {
    body: {
      messageType: "buttons",
      message: "Certo?",
      buttons: [{ id: "s", title: "Sim" }],
      header: { type: "image", mediaUrl: "https://a.example.com/a.png" },
    },
    cloud: interactive({
      type: "button",
      header: { type: "image", image: { link: "https://a.example.com/a.png" } },
      body: { text: "Certo?" },
      action: { buttons: [{ type: "reply", reply: { id: "s", title: "Sim" } }] },
    }),
    zapi: ["send-button-list", {
      message: "Certo?",
      buttonList: { image: "https://a.example.com/a.png", buttons: [{ id: "s", label: "Sim" }] },
    }],
    evolution: ["sendMedia", {
      ...{ mediatype: "image", media: "https://a.example.com/a.png", mimetype: "image/png" },
      caption: "Certo?\n\n1. Sim",
    }],
  },
  {
    body: {
      messageType: "link_button",
      message: "Seu pedido",
      linkButton: { title: "Ver", url: "https://example.com/p/1" },
    },
    cloud: interactive({
      type: "cta_url",
      body: { text: "Seu pedido" },
      action: {
        name: "cta_url",
        parameters: { display_text: "Ver", url: "https://example.com/p/1" },
      },
    }),
    zapi: ["send-button-actions", {
      message: "Seu pedido",
      buttonActions: [{ id: "1", type: "URL", url: "https://example.com/p/1", label: "Ver" }],
    }],
    evolution: ["sendText", { text: "Seu pedido\n\nVer: https://example.com/p/1" }],
  },
  {
    body: { messageType: "location_request", message: "Onde?" },
    cloud: interactive({
      type: "location_request_message",
      body: { text: "Onde?" },
      action: { name: "send_location" },
    }),
    zapi: ["send-text", { message: "Onde?" }],
    evolution: ["sendText", { text: "Onde?" }],
  },
  {
    body: {
      messageType: "option_list",
      message: "Qual?",
      optionList: {
        title: "Planos",
        buttonLabel: "Ver",
        sections: [
          { title: "Mês", options: [{ id: "m", title: "Ouro", description: "R$ 9" }] },
          { title: "Ano", options: [{ title: "Prata" }] },
        ],
      },
    },
    cloud: interactive({
      type: "list",
      header: { type: "text", text: "Planos" },
      body: { text: "Qual?" },
      action: {
        button: "Ver",
        sections: [
          { title: "Mês", rows: [{ id: "m", title: "Ouro", description: "R$ 9" }] },
          { title: "Ano", rows: [{ id: "2", title: "Prata" }] },
        ],
      },
    }),
    zapi: ["send-option-list", {
      message: "Qual?",
      optionList: {
        ...{ title: "Planos", buttonLabel: "Ver" },
        options: [
          { id: "m", title: "Ouro", description: "R$ 9" },
          { id: "2", title: "Prata", description: "" },
        ],
      },
    }],
    evolution: ["sendText", { text: "Qual?\n\n*Mês*\n1. Ouro\n   R$ 9\n\n*Ano*\n2. Prata" }],
  },
];

const ways: readonly (readonly [string, Json])[] = [
  ["at once", {}],
  ["delayed", { delayMessage: 0.001 }],
  ["through the queue", { queued: true }],
];

for (const provider of providers) {
  for (const [way, delivery] of ways) {
    Deno.test(`${provider}: each kind goes out ${way} in the channel's own form, or as numbered text`, async () => {
      await using stack = await startMessagingStack();
      const tenant = await stack.createTenant({ provider });
      for (const { body, ...expected } of wire) {
        const answer = await stack.send(tenant, { phone, ...body, ...delivery });
        assertEquals(answer.status, 200, JSON.stringify(answer.body));
        if (way === "through the queue") await letTimePass(stack.admin, 31);
        if (way !== "at once") await stack.dispatch();
        const [path, members] = readCall(stack);
        const name = `${provider} ${body["messageType"]}`;
        if (provider === "whatsapp_cloud") assertEquals(members, expected.cloud, name);
        else assertEquals([path, members], [...expected[provider]], name);
      }
    });
  }
}

const card = {
  name: "Ana",
  phones: ["5511987654321", "5511900000002"],
  emails: ["ana@example.com", "a@example.com"],
  organization: "Loja",
  urls: ["https://example.com/ana"],
};
const buttons = [{ id: "s", title: "Sim" }, { id: "n", title: "Não" }];
const sections = [{ title: "Mês", options: [{ id: "m", title: "Ouro" }] }];

/** Calls of which channels lose something: see `reduced` of their facts. */
const lossy: readonly {
  readonly name: LossyContent;
  readonly body: Json;
}[] = [
  {
    name: "card",
    body: { messageType: "contacts", contacts: [card] },
  },
  {
    name: "sections",
    body: {
      messageType: "option_list",
      message: "Qual?",
      optionList: { title: "Planos", buttonLabel: "Ver", sections },
      rendering: "native",
    },
  },
  {
    name: "document above buttons",
    body: {
      messageType: "buttons",
      message: "Certo?",
      buttons,
      header: { type: "document", mediaUrl: "https://a.example.com/a.pdf" },
      rendering: "native",
    },
  },
  {
    name: "no preview",
    body: { messageType: "text", message: "https://example.com", linkPreview: false },
  },
  {
    name: "view once",
    body: { messageType: "image", mediaUrl: "https://a.example.com/a.png", viewOnce: true },
  },
  {
    name: "contact request",
    body: { messageType: "contact_request", message: "Seu número?" },
  },
  {
    name: "location request",
    body: { messageType: "location_request", message: "Onde?", rendering: "native" },
  },
];

for (const provider of providerKinds) {
  Deno.test(`${provider}: what the channel loses is named in the answer and on the message, what it cannot carry is refused with nothing stored`, async () => {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant({ provider });
    for (const { name: lossyName, body } of lossy) {
      const lost = factsOf[provider].reduced[lossyName];
      const before = await countMessages(stack);
      const answer = await stack.send(tenant, { phone, ...body });
      const name = JSON.stringify([body, answer.body]);
      if (lost === null) {
        assertEquals([answer.status, answer.body.error], [400, "unsupported_on_channel"], name);
        const { details } = answer.body;
        const { messageType } = body;
        const about = messageType === "image" ? { field: "viewOnce" } : { messageType };
        assertEquals(details, { ...about, provider }, name);
        assertEquals(await countMessages(stack), before, name);
        continue;
      }
      assertEquals([answer.status, answer.body.reduced ?? []], [200, lost], name);
      const record = await readMessage(stack, tenant, answer.body.messageId);
      assertEquals(record["reduced"] ?? [], lost, name);
    }
  });
}

async function countMessages(stack: MessagingStack): Promise<number> {
  return (await stack.admin`select from messaging.messages`).length;
}

async function readMessage(
  stack: MessagingStack,
  tenant: Tenant,
  messageId: string,
): Promise<Json> {
  const { status, body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
  assertEquals(status, 200);
  return body;
}

Deno.test("the rendering is the call's, else the instance's, and a repeated call says the same", async () => {
  await using stack = await startMessagingStack();
  const question = { phone, messageType: "buttons", message: "Certo?", buttons };
  for (const [provider, auto] of [["zapi", "native"], ["evolution", "text"]] as const) {
    const tenant = await stack.createTenant({ provider });
    const render = async (rendering?: string): Promise<string> =>
      (await stack.send(tenant, { ...question, rendering })).body.rendering;
    assertEquals([await render(), await render("auto")], [auto, auto]);
    assertEquals([await render("native"), await render("text")], ["native", "text"]);
    await stack.admin`
      update messaging.instances set interactive_rendering = 'text'
      where id = ${tenant.instanceId}`;
    assertEquals([await render(), await render("native")], ["text", "native"]);
    const key = { "Idempotency-Key": `key-${provider}` };
    const [first, second] = [
      await stack.send(tenant, question, key),
      await stack.send(tenant, question, key),
    ];
    assertEquals([first.status, first.body.rendering], [200, "text"]);
    assertEquals(second.body, first.body);
  }
});

Deno.test("the instance's rendering is about options and links: a request for the position goes as the channel has it", async () => {
  await using stack = await startMessagingStack();
  const request = { phone, messageType: "location_request", message: "Onde?" };
  for (
    const [provider, rendering] of [
      ["whatsapp_cloud", "native"],
      ["zapi", "text"],
      ["evolution", "text"],
    ] as const
  ) {
    const tenant = await stack.createTenant({ provider });
    for (const setting of ["native", "text", "auto"]) {
      await stack.admin`
        update messaging.instances set interactive_rendering = ${setting}
        where id = ${tenant.instanceId}`;
      const { status, body } = await stack.send(tenant, request);
      assertEquals([status, body.rendering], [200, rendering], `${provider} ${setting}`);
    }
  }
});

Deno.test("replyTo quotes a message of the same contact, ours or theirs, on each channel, at once and queued", async () => {
  await using stack = await startMessagingStack();
  const quoting: Readonly<Record<string, (id: string) => Json>> = {
    whatsapp_cloud: (id) => ({ context: { message_id: id } }),
    zapi: (id) => ({ messageId: id }),
    evolution: (id) => ({ quoted: { key: { id } } }),
  };
  for (const provider of providers) {
    const tenant = await stack.createTenant({ provider });
    const text = { phone, messageType: "text", message: "Oi" };
    const first = (await stack.send(tenant, text)).body;
    const replyTo = first.messageId;
    const quoted = quoting[provider]?.(first.providerMessageId) ?? {};
    for (const delay of [{}, { delayMessage: 0.001 }]) {
      const { status, body } = await stack.send(tenant, { ...text, replyTo, ...delay });
      assertEquals(status, 200, JSON.stringify(body));
      if ("delayMessage" in delay) await stack.dispatch();
      const [, members] = readCall(stack);
      const shown = Object.fromEntries(Object.keys(quoted).map((name) => [name, members[name]]));
      assertEquals(shown, quoted, provider);
      const record = await readMessage(stack, tenant, body.messageId);
      assertEquals(
        [record["quotedMessageId"], record["quotedProviderMessageId"]],
        [replyTo, first.providerMessageId],
      );
    }
  }
});

Deno.test("replyTo that is unknown, of another contact or of another instance is 404, with nothing stored", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const text = { phone, messageType: "text", message: "Oi" };
  const foreign = (await stack.send(other, text)).body.messageId;
  const others = (await stack.send(tenant, { ...text, phone: "5511900000009" })).body.messageId;
  const before = await countMessages(stack);
  for (const replyTo of [crypto.randomUUID(), foreign, others]) {
    const { status, body } = await stack.send(tenant, { ...text, replyTo });
    assertEquals([status, body.error], [404, "message_not_found"]);
  }
  assertEquals(await countMessages(stack), before);
});

Deno.test("replyTo that the channel cannot quote with goes without it, and says so", async () => {
  await using stack = await startMessagingStack();
  const cases = [
    ["zapi", { messageType: "buttons", message: "Certo?", buttons, rendering: "native" }],
    ["evolution", { messageType: "audio", mediaUrl: "https://a.example.com/a.mp3" }],
    ["evolution", { messageType: "contacts", contacts: [{ name: "Ana", phones: [phone] }] }],
  ] as const;
  for (const [provider, body] of cases) {
    const tenant = await stack.createTenant({ provider });
    const first = await stack.send(tenant, { phone, messageType: "text", message: "Oi" });
    const asked = { phone, ...body, replyTo: first.body.messageId };
    const answer = await stack.send(tenant, asked);
    assertEquals([answer.status, answer.body.reduced], [200, ["replyTo"]]);
    assert(!stack.provider.requests.at(-1)?.text.includes(first.body.providerMessageId));
  }
});

const refused: readonly (readonly [Json, readonly string[]])[] = [
  [{ messageType: "location", location: { latitude: 91, longitude: -181 } }, [
    "location.latitude",
    "location.longitude",
  ]],
  [{ messageType: "location", location: { latitude: 1, longitude: 1 }, message: "Oi" }, [
    "message",
  ]],
  [{ messageType: "contacts", contacts: [] }, ["contacts"]],
  [{ messageType: "contacts", contacts: Array(11).fill({ name: "A", phones: ["123"] }) }, [
    "contacts",
  ]],
  [{ messageType: "contacts", contacts: [{ name: "A", phones: ["x"], emails: ["x"] }] }, [
    "contacts.0.phones.0",
    "contacts.0.emails.0",
  ]],
  [{ messageType: "buttons", message: "A", buttons: [] }, ["buttons"]],
  [{ messageType: "buttons", message: "A", buttons: Array(4).fill({ title: "x" }) }, ["buttons"]],
  [{
    messageType: "buttons",
    message: "A",
    buttons: [{ id: "a", title: "x" }, { id: "a", title: "y" }],
  }, ["buttons.1.id"]],
  [{ messageType: "buttons", message: "A", buttons, header: {} }, ["header"]],
  [{ messageType: "buttons", message: "A", buttons, header: { type: "image" } }, [
    "header.mediaUrl",
  ]],
  [{ messageType: "buttons", message: "A", buttons, mediaUrl: "https://a.example.com/a.png" }, [
    "mediaUrl",
  ]],
  [{
    messageType: "link_button",
    message: "A",
    linkButton: { title: "x", url: "http://example.com" },
  }, ["linkButton.url"]],
  [{
    messageType: "link_button",
    message: "A",
    linkButton: { title: "x", url: "https://10.0.0.1" },
  }, ["linkButton.url"]],
  [{
    messageType: "option_list",
    message: "A",
    optionList: { title: "T", buttonLabel: "B", options: [{ title: "x" }], sections },
  }, ["optionList.sections"]],
  [{ messageType: "option_list", message: "A", optionList: { title: "T", buttonLabel: "B" } }, [
    "optionList.options",
  ]],
  [{ messageType: "text", message: "A", rendering: "text" }, ["rendering"]],
  [{ messageType: "text", message: "A", viewOnce: true }, ["viewOnce"]],
  [{ messageType: "text", message: "A", replyTo: "x" }, ["replyTo"]],
  [{ messageType: "sticker", mediaUrl: "https://a.example.com/a.png" }, ["mediaUrl"]],
];

Deno.test("a malformed kind is 400 with each fault by its path, nothing stored and nothing sent", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const [body, paths] of refused) {
    const answer = await stack.send(tenant, { phone, ...body });
    const told = answer.body.issues?.map(({ path }: { path: string }) => path);
    assertEquals(
      [answer.status, answer.body.error],
      [400, "invalid_request"],
      JSON.stringify(body),
    );
    assertEquals(told, paths, JSON.stringify([body, answer.body]));
  }
  assertEquals([await countMessages(stack), stack.provider.requests.length], [0, 0]);
});

Deno.test("the official channel's lengths are told before the call, all at once, in its numbers", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const long = "x".repeat(2_000);
  const { status, body } = await stack.send(tenant, {
    ...{ phone, messageType: "buttons", message: long },
    buttons: [{ id: "a", title: long.slice(0, 21) }, { id: "b", title: "y" }, { title: "y" }],
    header: { text: long.slice(0, 61) },
    footer: long.slice(0, 61),
  });
  assertEquals([status, body.error], [400, "invalid_request"]);
  assertEquals(body.issues.map(({ path }: { path: string }) => path), [
    ...["message", "buttons.0.title", "buttons.2.title", "header.text", "footer"],
  ]);
  assert(body.issues[1].message.includes("at most 20"), body.issues[1].message);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("a card's phone that is shorter than Evolution takes is told before the call", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "evolution" });
  const contacts = [
    { name: "Loja", phones: ["+55 11 3456-7890", "190"] },
    { name: "Polícia", phones: ["190"] },
  ];
  const { status, body } = await stack.send(tenant, { phone, messageType: "contacts", contacts });
  assertEquals([status, body.error], [400, "invalid_request"], JSON.stringify(body));
  assertEquals(body.issues, [{
    path: "contacts.1.phones.0",
    message: "has 3 digits; this channel requires at least 10",
  }]);
  assertEquals([await countMessages(stack), stack.provider.requests.length], [0, 0]);
});

Deno.test("assignTo beside a kind with its own parts sends it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const person = { name: "Rui", email: "rui@example.com" };
  const operatorId = await createOperator(stack.admin, tenant.workspaceId, person);
  const { status, body } = await stack.send(tenant, {
    ...{ phone, messageType: "location", location: { latitude: 1, longitude: 2 } },
    assignTo: operatorId,
  });
  assertEquals([status, body.mode], [200, "sent"], JSON.stringify(body));
  assertEquals(readCall(stack)[0], "send-location");
});
