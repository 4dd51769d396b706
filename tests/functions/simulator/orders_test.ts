/** Orders of the official channel and of Z-API, as the simulator takes and refuses them. */
import { registry } from "../../../shared/providers/registry.ts";
import type { MessageContent } from "../../../shared/model/message_content.ts";
import type { PaymentStatus } from "../../../shared/model/payment_status.ts";
import type { Receipt } from "../../../shared/providers/provider.ts";
import { toWhatsappCloudTemplate } from "../../../shared/providers/whatsapp_cloud/template.ts";
import { readTemplateDefinition } from "../../../shared/templates/definition.ts";
import { fillTemplate } from "../../../shared/templates/variables.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { channelOf } from "../../../supabase/local/simulator/channels.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { startSimulator } from "./simulator_server.ts";

const to = "5511912345678";
const secret = "a-secret-of-32-characters-or-more";

function configOf(kind: ProviderKind, url: string): Readonly<Record<string, string>> {
  return factsOf[kind].simulated(url, "INSTANCE", secret);
}

const { payment_request: request } = oneOfEachType;

async function send(
  server: ReturnType<typeof startSimulator>,
  kind: "whatsapp_cloud" | "zapi",
  content: MessageContent,
  recipient = to,
): Promise<Receipt> {
  const provider = await registry.get(kind).open(configOf(kind, server.url), crypto.randomUUID());
  const message = { messageId: crypto.randomUUID(), to: recipient, content };
  return await provider.send(message, { timeoutMs: 60_000 });
}

function tell(status: PaymentStatus, reference = request.payment.reference): MessageContent {
  return {
    ...{ messageType: "payment_status", message: "Novo estado", rendering: "native" },
    paymentStatus: { reference, status },
  };
}

const codeOf = (receipt: Receipt): string =>
  receipt.outcome === "rejected" ? receipt.code : receipt.outcome;

Deno.test("the official channel refuses an order to a foreign number by 2040", async () => {
  await using server = startSimulator();
  server.writeAsCustomer({ instance: "INSTANCE", waId: "351912345678" });
  const receipt = await send(server, "whatsapp_cloud", request, "351912345678");
  assert(receipt.outcome === "rejected" && !receipt.retryable);
  assertEquals([receipt.code, receipt.meaning], ["2040", "message_type_refused"]);
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("an order's status goes forward: 2047 where a payment is, 2046 after its end", async () => {
  await using server = startSimulator();
  server.writeAsCustomer({ instance: "INSTANCE", waId: to });
  assertEquals(codeOf(await send(server, "whatsapp_cloud", tell("paid"))), "131009");
  const orders = ["a", "b"].map((reference) => ({
    ...request,
    payment: { ...request.payment, reference },
  }));
  for (const order of orders) {
    assertEquals(codeOf(await send(server, "whatsapp_cloud", order)), "accepted");
  }
  const steps = [["paid", "a"], ["canceled", "a"], ["canceled", "b"], ["paid", "b"]] as const;
  const codes: string[] = [];
  for (const [status, reference] of steps) {
    codes.push(codeOf(await send(server, "whatsapp_cloud", tell(status, reference))));
  }
  assertEquals(codes, ["accepted", "2047", "accepted", "2046"]);
});

Deno.test("an order whose sums do not agree is refused", async () => {
  await using server = startSimulator();
  server.writeAsCustomer({ instance: "INSTANCE", waId: to });
  const order = { ...request, payment: { ...request.payment, amount: "129.91" } };
  assertEquals(codeOf(await send(server, "whatsapp_cloud", order)), "131009");
});

Deno.test("Z-API shows an order with its items, and a button with its key", async () => {
  await using server = startSimulator();
  const { items: _items, shipping: _shipping, ...bare } = request.payment;
  await send(server, "zapi", request);
  await send(server, "zapi", { ...request, payment: bare });
  const { items } = await server.read("/messages");
  const shown = items.map(({ parts }) => (parts as { payment: unknown }).payment);
  const key = request.payment.key;
  assertEquals(shown, [
    { reference: null, amount: "129.90", items: [{ name: "Camisa", quantity: 2 }], key },
    { reference: null, amount: null, items: [], key },
  ]);
});

Deno.test("a person who has paid shows the receipt, of an order as of a code's own message", async () => {
  await using server = startSimulator();
  await using receiver = startTestServer(() => new Response());
  const instance = "INSTANCE";
  server.writeAsCustomer({ instance, waId: to });
  await send(server, "whatsapp_cloud", request);
  await send(server, "zapi", { messageType: "text", message: request.payment.pixCode ?? "" });
  await send(server, "zapi", { messageType: "text", message: "Oi" });
  for (const provider of ["whatsapp_cloud", "zapi"] as const) {
    register(server, provider, `${receiver.origin}/${provider}`);
  }
  const { items } = await server.read("/messages");
  const statuses: number[] = [];
  for (const { provider, providerMessageId } of items) {
    const { status, json } = await server.post("/receipts", {
      ...{ provider, instance, providerMessageId },
    });
    statuses.push(status);
    if (status !== 201) continue;
    const { content, replyTo } = json as { content: Record<string, string>; replyTo: string };
    assertEquals([content["fileName"], replyTo], ["comprovante.pdf", providerMessageId]);
    const file = await (await fetch(content["mediaUrl"] ?? "")).text();
    assert(file.startsWith("%PDF-1.4") && file.includes("R$ "), file);
  }
  assertEquals(statuses.sort(), [201, 201, 404]);
});

function register(
  server: ReturnType<typeof startSimulator>,
  provider: "whatsapp_cloud" | "zapi",
  url: string,
): void {
  const webhook = { provider, instance: "INSTANCE", url, appSecret: secret };
  server.simulator.webhooks.register(channelOf(provider), webhook);
}

/** An approved template with these buttons. */
async function createTemplate(
  server: ReturnType<typeof startSimulator>,
  name: string,
  buttons: readonly object[],
  { account = "10229", text = "Segue a cobrança." } = {},
): Promise<void> {
  const { json } = await server.post(`/graph/v23.0/${account}/message_templates`, {
    ...{ name, language: "pt_BR", category: "UTILITY" },
    components: [{ type: "BODY", text }, { type: "BUTTONS", buttons }],
  }, { Authorization: "Bearer T" });
  const { id: templateId } = json as { id: string };
  await server.post("/template-reviews", { templateId, status: "APPROVED" });
}

const orderButton = { type: "ORDER_DETAILS", text: "Copy Pix code" };
const payButtons = [
  { type: "PAYMENT_REQUEST", text: "Copy Pix code" },
  { type: "PAYMENT_REQUEST", text: "Open payment link" },
];

/** The template as the service sends it, filled with a payment. */
function fill(name: string, buttons: readonly object[], payment: object): MessageContent {
  const read = readTemplateDefinition("POSITIONAL", [
    { type: "BODY", text: "Segue a cobrança." },
    { type: "BUTTONS", buttons },
  ]);
  assert(read.ok);
  const contact = { name: null, phone: to };
  const { template, issues } = fillTemplate(read.definition, { payment }, contact);
  assertEquals(issues, []);
  const filled = toWhatsappCloudTemplate({ name, language: "pt_BR" }, template);
  return { messageType: "template", template: filled };
}

const asked = {
  ...{ reference: "tpl-1", amount: "12.90", link: "https://pay.example.com/1" },
  pix: {
    ...{ key: "12345678909", keyType: "cpf" },
    ...{ merchantName: "Loja", merchantCity: "Recife" },
  },
};

Deno.test("a template's payment buttons show what is asked for, to a person who never wrote", async () => {
  await using server = startSimulator();
  await createTemplate(server, "pedido_pix", [orderButton]);
  await createTemplate(server, "pix", payButtons);
  const order = fill("pedido_pix", [orderButton], asked);
  const buttons = fill("pix", payButtons, { ...asked, reference: "tpl-2" });
  for (const content of [order, buttons]) {
    assertEquals(codeOf(await send(server, "whatsapp_cloud", content)), "accepted");
    assertEquals(codeOf(await send(server, "whatsapp_cloud", content, "351912345678")), "2040");
  }
  const { items } = await server.read("/messages");
  const shown = items.map(({ parts }) => (parts as { payment: Record<string, unknown> }).payment);
  const code = String(shown[0]?.["code"]);
  assert(code.startsWith("000201"));
  const { link } = asked;
  assertEquals(shown, [
    {
      ...{ reference: "tpl-1", amount: "12.90", code, link },
      items: [{ name: "tpl-1", quantity: 1 }],
    },
    { reference: null, amount: null, items: [], code: shown[1]?.["code"], link },
  ]);
  server.writeAsCustomer({ instance: "INSTANCE", waId: to });
  assertEquals(codeOf(await send(server, "whatsapp_cloud", tell("paid", "tpl-1"))), "accepted");
  assertEquals(codeOf(await send(server, "whatsapp_cloud", tell("paid", "tpl-2"))), "131009");
});

Deno.test("the receipt of a template's Pix code has the amount of the code", async () => {
  await using server = startSimulator();
  await using receiver = startTestServer(() => new Response());
  await createTemplate(server, "pix", payButtons);
  const content = fill("pix", payButtons, asked);
  assertEquals(codeOf(await send(server, "whatsapp_cloud", content)), "accepted");
  register(server, "whatsapp_cloud", receiver.origin);
  const { items: [sent] } = await server.read("/messages");
  const { json } = await server.post("/receipts", {
    ...{ provider: "whatsapp_cloud", instance: "INSTANCE" },
    providerMessageId: sent?.["providerMessageId"],
  });
  const { mediaUrl } = (json as { content: { mediaUrl: string } }).content;
  const file = await (await fetch(mediaUrl)).text();
  assert(file.includes("(R$ 12,90)"), file);
});

Deno.test("a template's payment button without its payment, and a payment without its button, are refused", async () => {
  await using server = startSimulator();
  await createTemplate(server, "pedido_pix", [orderButton]);
  await createTemplate(server, "pix", payButtons);
  await createTemplate(server, "sem_botao", [{ type: "QUICK_REPLY", text: "Ok" }]);
  const bare: MessageContent = {
    messageType: "template",
    template: { name: "pedido_pix", language: "pt_BR", components: [] },
  };
  assertEquals(codeOf(await send(server, "whatsapp_cloud", bare)), "131008");
  for (const name of ["sem_botao", "pix"]) {
    const content = fill(name, [orderButton], asked);
    assertEquals(codeOf(await send(server, "whatsapp_cloud", content)), "131008", name);
  }
  const order = JSON.parse(
    JSON.stringify(fill("pedido_pix", [orderButton], asked)).replace(
      '"total_amount":{"value":1290',
      '"total_amount":{"value":1291',
    ),
  );
  assertEquals(codeOf(await send(server, "whatsapp_cloud", order)), "131009");
  assertEquals((await server.read("/messages")).total, 0);
});

Deno.test("of templates of one name, the payment is judged by those whose variables fit", async () => {
  await using server = startSimulator();
  await createTemplate(server, "cobranca", [orderButton]);
  const reply = [{ type: "QUICK_REPLY", text: "Ok" }];
  const text = "Segue a cobrança de {{1}}, como pedido.";
  await createTemplate(server, "cobranca", reply, { account: "77", text });
  const content = fill("cobranca", [orderButton], asked);
  assert(content.messageType === "template");
  const body = { type: "body", parameters: [{ type: "text", text: "maio" }] };
  const { template } = content;
  const filled = { ...template, components: [body, ...template.components] };
  const wrong = { ...content, template: filled } as MessageContent;
  assertEquals(codeOf(await send(server, "whatsapp_cloud", wrong)), "131008");
  assertEquals(codeOf(await send(server, "whatsapp_cloud", content)), "accepted");
});
