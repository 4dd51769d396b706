import { assertEquals } from "../../support/assert.ts";
import { acceptMessage, answerUnknown } from "../../support/doubles/http_double.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

const options = [
  { id: "prata", title: "Prata" },
  { id: "ouro", title: "Ouro", description: "Entrega no mesmo dia" },
  { id: "cafe", title: "Café com Leite" },
];
const list = {
  phone,
  messageType: "option_list",
  message: "Qual?",
  optionList: { title: "Planos", buttonLabel: "Ver", options },
  rendering: "text",
};

/** What people type, and the id of the option that it names; null for a text. */
const typedWords: readonly (readonly [string, string | null])[] = [
  ["2", "ouro"],
  ["2.", "ouro"],
  ["2)", "ouro"],
  ["*2*", "ouro"],
  [" 2️⃣ ", "ouro"],
  ["２", "ouro"],
  ["\u2068Ouro\u2069", "ouro"],
  ["Ouro", "ouro"],
  ["OURO", "ouro"],
  ["ouro.", "ouro"],
  ["_Ouro_", "ouro"],
  ["2 - Ouro", "ouro"],
  ["2. ouro", "ouro"],
  ["2 ouro", "ouro"],
  ["*2. Ouro*", "ouro"],
  ["cafe com  leite", "cafe"],
  ["CAFÉ COM LEITE", "cafe"],
  ["3) Café com leite", "cafe"],
  ["a segunda", null],
  ["opção 2", null],
  ["2?", null],
  ["22", null],
  ["02", null],
  ["0", null],
  ["4", null],
  ["-2", null],
  ["2 1", null],
  ["1 - Ouro", null],
  ["2 - Prata", null],
  ["Ouro e Prata", null],
  ["11987654321", null],
  ["+55 11 98765-4321", null],
  ["2".repeat(65_000), null],
  ["", null],
];

interface Typed {
  readonly messageType: string;
  readonly message: string;
  readonly choice: { readonly id: string; readonly title: string } | null;
}

async function readTyped(client: WebhookClient, { token }: Tenant): Promise<readonly Typed[]> {
  const { body } = await client.stack.request(
    "/messages-api/messages?direction=inbound&limit=1000",
    { headers: { "X-Client-Token": token } },
  );
  return body.items;
}

const idOf = ({ messageType, choice }: Typed): string | null =>
  messageType === "choice" ? choice?.id ?? "no choice" : null;

for (const isAlone of [true, false]) {
  const way = isAlone ? "alone" : "in one webhook";
  Deno.test(`words that name an option of a numbered list are stored as the choice, all others as a text: ${way}`, async () => {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    assertEquals((await client.stack.send(tenant, list)).body.rendering, "text");
    const words = typedWords.filter(([text]) => text !== "");
    const messages = words.map(([text], index) => cloudText(`IN${index}`, text));
    if (isAlone) {
      for (const message of messages) {
        await client.cloud(tenant, cloudPayload({ messages: [message] }));
      }
    } else await client.cloud(tenant, cloudPayload({ messages }));
    const typed = await readTyped(client, tenant);
    assertEquals(
      typed.map((message, index) => [words[index]?.[0].slice(0, 20), idOf(message)]),
      words.map(([text, id]) => [text.slice(0, 20), id]),
    );
    const first = typed[0];
    assertEquals(
      [first?.message, first?.choice],
      ["2", options[1]],
      "the words stay as typed",
    );
  });
}

interface Story {
  readonly client: WebhookClient;
  readonly tenant: Tenant;
  /** What a person types now is stored as the choice of this option; null for a text. */
  types(text: string, members?: Record<string, unknown>): Promise<string | null>;
}

async function begin(client: WebhookClient): Promise<Story> {
  const tenant = await client.createTenant();
  let count = 0;
  return {
    client,
    tenant,
    async types(text, members = {}): Promise<string | null> {
      count += 1;
      const messageId = `TYPED${count}`;
      await client.receive(tenant, { messageId, text: { message: text }, ...members });
      const stored = (await readTyped(client, tenant)).at(-1);
      return stored === undefined ? "nothing stored" : idOf(stored);
    },
  };
}

Deno.test("of two lists in a row the newest counts, and a list can be answered twice", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, list);
  assertEquals(await types("1"), "prata");
  assertEquals(await types("1"), "prata");
  const buttons = [{ id: "sim", title: "Sim" }, { id: "nao", title: "Não" }];
  const question = { phone, messageType: "buttons", message: "Certo?", buttons };
  await client.stack.send(tenant, { ...question, rendering: "text" });
  assertEquals(await types("1"), "sim");
  assertEquals(await types("nao"), "nao");
  assertEquals(await types("3"), null);
  await client.stack.send(tenant, { ...question, rendering: "native" });
  assertEquals(await types("1"), null, "the newest is not numbered");
});

Deno.test("a plain message between a list and its answer changes nothing, another contact's answer is a text", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, list);
  await client.stack.send(tenant, { phone, messageType: "text", message: "E então?" });
  assertEquals(await types("3"), "cafe");
  assertEquals(await types("3", { phone: "5511900000001" }), null);
});

Deno.test("after 24 hours, and once the list is deleted, a number is a text", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, list);
  await letTimePass(client.stack.admin, 24 * 3_600 - 60);
  assertEquals(await types("2"), "ouro");
  await letTimePass(client.stack.admin, 120);
  assertEquals(await types("2"), null);
  const { body } = await client.stack.send(tenant, list);
  assertEquals(await types("2"), "ouro");
  await client.receive(tenant, { messageId: body.providerMessageId, notification: "REVOKE" });
  assertEquals(await types("2"), null);
});

Deno.test("a number that quotes another message than the list is a text", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  const { body } = await client.stack.send(tenant, list);
  assertEquals(await types("2", { referenceMessageId: body.providerMessageId }), "ouro");
  assertEquals(await types("2", { referenceMessageId: "SOMETHING-ELSE" }), null);
});

Deno.test("a list that was refused asks nothing, and what fits two options names none", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  const numbers = [{ id: "a", title: "2" }, { id: "b", title: "3" }, { id: "c", title: "3" }];
  const doubled = { ...list, optionList: { ...list.optionList, options: numbers } };
  await client.stack.send(tenant, doubled);
  assertEquals(await types("1"), "a");
  assertEquals(await types("2"), null);
  assertEquals(await types("3"), null);
  client.stack.provider.answer = () => Response.json({ error: "NOPE" }, { status: 400 });
  const { status } = await client.stack.send(tenant, list);
  assertEquals(status, 502);
  assertEquals(await types("1"), "a");
});

Deno.test("a question whose outcome is unknown is answered until another one is sent after it", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  const accept = client.stack.provider.answer;
  client.stack.provider.answer = answerUnknown;
  assertEquals((await client.stack.send(tenant, list)).body.status, "unconfirmed");
  assertEquals(await types("1"), "prata");
  client.stack.provider.answer = accept;
  const buttons = [{ id: "sim", title: "Sim" }, { id: "nao", title: "Não" }];
  const question = { phone, messageType: "buttons", message: "Certo?", buttons };
  await client.stack.send(tenant, { ...question, rendering: "text" });
  assertEquals(await types("1"), "sim");
});

for (const [outcome, answer] of [["sent", acceptMessage], ["unknown", answerUnknown]] as const) {
  Deno.test(`a question for a place or a link offers nothing, and hides no list before it, of outcome ${outcome}`, async () => {
    await using client = await createWebhookClient();
    const { tenant, types } = await begin(client);
    client.stack.provider.answer = answer;
    await client.stack.send(tenant, list);
    client.stack.provider.answer = acceptMessage;
    for (
      const beside of [
        {
          ...{ messageType: "link_button", message: "Veja" },
          linkButton: { title: "Abrir", url: "https://a.example/" },
        },
        { messageType: "location_request", message: "Onde?" },
      ]
    ) {
      const { status, body } = await client.stack.send(tenant, {
        ...{ phone, rendering: "text", ...beside },
      });
      assertEquals(status, 200, JSON.stringify(body));
      assertEquals(await types("3"), "cafe", beside.messageType);
    }
  });
}

Deno.test("what asks for a payment, and tells that it was paid, offers nothing and hides no list before it", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, list);
  for (const rendering of ["text", "native"]) {
    const reference = `ped-${rendering}`;
    const { status, body } = await client.stack.send(tenant, {
      ...{ phone, messageType: "payment_request", message: "Pedido", rendering },
      payment: {
        ...{
          reference,
          amount: "129.90",
          items: [{ name: "Bolo", quantity: 1, amount: "129.90" }],
        },
        pix: {
          ...{ key: "12345678909", keyType: "cpf" },
          ...{ merchantName: "Loja Modelo", merchantCity: "Recife" },
        },
      },
    });
    assertEquals([status, body.rendering], [200, rendering], JSON.stringify(body));
    assertEquals(await types("2"), "ouro", `a request as ${rendering}`);
    await client.stack.post(tenant, `/messages-api/payments/${reference}`, {
      ...{ status: "paid", tell: "Recebemos" },
    });
    await client.stack.dispatch();
    const told = (await client.messages(tenant)).filter((one) =>
      one["message_type"] === "payment_status"
    ).at(-1);
    assertEquals(told?.["status"], "sent");
    assertEquals(await types("3"), "cafe", "what was told of it");
  }
});

Deno.test("a list that waits in the queue asks nothing until it is on its way", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, { ...list, delayMessage: 60 });
  assertEquals(await types("1"), null);
  await letTimePass(client.stack.admin, 61);
  await client.stack.database.rpc("claim_due_messages", { maxMessages: 1, leaseSeconds: 30 });
  assertEquals(await types("1"), "prata");
});

Deno.test("a list that was delivered, and read, can be answered", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  const { body } = await client.stack.send(tenant, list);
  for (const status of ["RECEIVED", "READ"]) {
    await client.zapi(tenant, {
      ...{ type: "MessageStatusCallback", status, ids: [body.providerMessageId] },
      momment: Date.now(),
    });
    assertEquals(await types("2"), "ouro", status);
  }
});

Deno.test("a text that was written before a question answers the one before it", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, list);
  await letTimePass(client.stack.admin, 600);
  const buttons = [{ id: "sim", title: "Sim" }, { id: "nao", title: "Não" }];
  const question = { phone, messageType: "buttons", message: "Certo?", buttons };
  await client.stack.send(tenant, { ...question, rendering: "text" });
  assertEquals(await types("1", { momment: Date.now() - 120_000 }), "prata");
  assertEquals(await types("1"), "sim");
});

Deno.test("an opt-out keyword is an opt-out whatever is asked", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  const named = [{ id: "stay", title: "Ficar" }, { id: "stop", title: "SAIR" }];
  await client.stack.send(tenant, { ...list, optionList: { ...list.optionList, options: named } });
  assertEquals(await types("Sair"), null);
  const [contact] = await client.stack.admin`
    select consent_marketing from messaging.contacts where phone = ${phone}`;
  assertEquals(contact?.["consent_marketing"], "denied");
  assertEquals(await types("2"), "stop");
});

Deno.test("an answer that comes before the outcome of the send is recorded is the choice", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  let answered: string | null = "never called";
  client.stack.provider.answer = async (request) => {
    answered = await types("2");
    return acceptMessage(request);
  };
  assertEquals((await client.stack.send(tenant, list)).status, 200);
  assertEquals(answered, "ouro");
});

Deno.test("answers of twenty persons at once, beside sends to them, are each the choice of their own list", async () => {
  await using client = await createWebhookClient();
  const { tenant } = await begin(client);
  const people = Array.from({ length: 20 }, (_, index) => `55119${10_000_000 + index}`);
  const asked = people.map((to, index) => {
    const own = [{ id: `${index}-a`, title: "A" }, { id: `${index}-b`, title: "B" }];
    return { ...list, phone: to, optionList: { ...list.optionList, options: own } };
  });
  await Promise.all(asked.map((body) => client.stack.send(tenant, body)));
  await Promise.all(people.flatMap((from, index) => [
    client.receive(tenant, { messageId: `R${index}`, phone: from, text: { message: "2" } }),
    client.stack.send(tenant, { phone: from, messageType: "text", message: "Certo" }),
  ]));
  const typed = await client.stack.admin`
    select c.phone, m.message_type, m.content from messaging.messages m
    join messaging.contacts c on c.id = m.contact_id
    where m.direction = 'inbound' order by c.phone`;
  assertEquals(
    typed.map(({ phone, message_type, content }) => [phone, message_type, content.choice.id]),
    people.map((to, index) => [to, "choice", `${index}-b`]),
  );
});

Deno.test("the choice stands in the event and in the history by its title, and an edit makes it a text", async () => {
  await using client = await createWebhookClient();
  const { tenant, types } = await begin(client);
  await client.stack.send(tenant, list);
  await types("*3*");
  const { body } = await client.stack.request(
    "/events-api/events?after=oldest&types=message.received",
    { headers: { "X-Client-Token": tenant.token } },
  );
  const { messageType, message, choice } = body.items[0].data;
  assertEquals([messageType, message, choice], ["choice", "*3*", {
    id: "cafe",
    title: "Café com Leite",
  }]);
  const history = await client.history(tenant);
  assertEquals(history.body.conversation.at(-1).content, "Café com Leite");
  await client.receive(tenant, {
    ...{ messageId: "TYPED1", text: { message: "não sei" }, isEdit: true },
  });
  const [edited] = await readTyped(client, tenant);
  assertEquals([edited?.messageType, edited?.message, edited?.choice], ["text", "não sei", null]);
});
