/** The production adapters, unchanged, against the simulated providers. */
import { type OfEachSendable, oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { listOptions } from "../../../shared/model/content_parts.ts";
import type { MessageContent } from "../../../shared/model/message_content.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { assert, assertEquals, assertObjectMatch } from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";

const secret = "a-secret-of-32-characters-or-more";

function configOf(kind: ProviderKind, url: string): Readonly<Record<string, string>> {
  return factsOf[kind].simulated(url, "INSTANCE", secret);
}

/** The customer whose message opens the window for free text on the official channel. */
const customer = { instance: "INSTANCE", waId: "5511912345678" };
const { image, video, audio, document, option_list, buttons, link_button, payment_request } =
  oneOfEachType;
const { sticker, voice, location, contacts: { contacts: [card] } } = oneOfEachType;
const seenOptionList = {
  ...option_list.optionList,
  options: listOptions(option_list.optionList).map((option) => ({ description: null, ...option })),
};

/** What the simulator shows of each. */
const seenOfEach: OfEachSendable<Record<string, unknown>> = {
  text: { text: "Olá" },
  image: { mediaUrl: image.mediaUrl, text: "Veja" },
  video: { mediaUrl: video.mediaUrl, text: "Veja" },
  audio: { mediaUrl: audio.mediaUrl, text: null },
  document: { mediaUrl: document.mediaUrl, fileName: "Oferta.pdf", text: "Segue" },
  option_list: { text: "Quando?", optionList: seenOptionList },
  sticker: { mediaUrl: sticker.mediaUrl, text: null },
  voice: { mediaUrl: voice.mediaUrl, text: null },
  location: { parts: { location: location.location } },
  contacts: { parts: { contacts: [{ name: card?.name }] } },
  buttons: {
    text: "Confirma?",
    mediaUrl: buttons.mediaUrl,
    parts: { buttons: buttons.buttons },
  },
  link_button: { text: "Seu pedido", parts: { linkButton: link_button.linkButton } },
  location_request: { text: "Onde você está?" },
  contact_request: { text: "Seu número?" },
  payment_request: {
    text: "Pedido 812",
    parts: {
      payment: {
        ...{ reference: "ped-812", amount: "129.90", items: [{ name: "Camisa", quantity: 2 }] },
        ...{ code: payment_request.payment.pixCode, link: payment_request.payment.link },
        boleto: payment_request.payment.boleto,
      },
    },
  },
  reaction: { parts: { reaction: { providerMessageId: "wamid.TARGET", emoji: "👍" } } },
};
const officialTypes = ["contact_request", "location_request", "payment_request"];
const cases: readonly (readonly [MessageContent, Record<string, unknown>])[] = Object.entries(
  seenOfEach,
).map(([messageType, seen]) => [
  oneOfEachType[messageType as keyof typeof seenOfEach],
  { messageType, ...seen },
]);

for (const kind of ["zapi", "evolution", "whatsapp_cloud"] as const) {
  for (const [content, seen] of cases) {
    // No gateway has it; for the forms of Z-API see orders_test.ts.
    if (officialTypes.includes(content.messageType) && kind !== "whatsapp_cloud") continue;
    Deno.test(`${kind} accepts the adapter's ${content.messageType} and shows it to the customer`, async () => {
      await using server = startSimulator();
      server.writeAsCustomer(customer);
      const provider = await registry.get(kind).open(
        configOf(kind, server.url),
        crypto.randomUUID(),
      );
      const messageId = crypto.randomUUID();
      const receipt = await provider.send(
        {
          ...{ messageId, to: "5511912345678", content },
          ...(content.messageType === "reaction"
            ? { quotedProviderMessageId: "wamid.TARGET", quotedIsOurs: true }
            : {}),
        },
        { timeoutMs: 60_000 },
      );
      const { items, total } = await server.read("/messages");
      assertEquals(total, 1);
      assert(receipt.outcome === "accepted", JSON.stringify(receipt));
      assertObjectMatch(items[0] ?? {}, {
        ...seen,
        // Gateways send every sound as a voice message.
        messageType: content.messageType === "voice" && kind !== "whatsapp_cloud"
          ? "audio"
          : content.messageType,
        ...(content.messageType === "buttons" && kind === "zapi"
          ? { text: "Confirma?\n\nLoja" }
          : {}),
        // Evolution requires a description in every row, so the title replaces a missing one.
        ...(kind === "evolution" && "optionList" in seen
          ? {
            optionList: {
              ...seenOptionList,
              options: seenOptionList.options.map((option) => ({
                ...option,
                description: option.description ?? option.title,
              })),
            },
          }
          : {}),
        provider: kind,
        instance: "INSTANCE",
        to: "5511912345678",
        answer: "accepted",
        providerMessageId: receipt.providerMessageId,
        correlationId: kind === "whatsapp_cloud" ? messageId : null,
      });
    });
  }

  const outcomes = [
    ["reject", "rejected", 0],
    ["rate_limit", "rejected", 0],
    ["timeout", "unknown", 1],
    ["reset", "unknown", 1],
    ["garbage", "unknown", 1],
  ] as const;
  for (const [fault, outcome, arrived] of outcomes) {
    Deno.test(`${kind} with the fault ${fault} gives the adapter's outcome ${outcome}, ${arrived} message at the phone`, async () => {
      await using server = startSimulator();
      server.writeAsCustomer(customer);
      await server.post("/faults", { provider: kind, kind: fault, retryAfterSeconds: 7 });
      const provider = await registry.get(kind).open(
        configOf(kind, server.url),
        crypto.randomUUID(),
      );
      const message = {
        messageId: crypto.randomUUID(),
        to: "5511912345678",
        content: { messageType: "text", message: "Hello" },
      } as const;
      using timeouts = holdTimers(20_123);
      const sending = provider.send(message, { timeoutMs: 20_123 });
      if (fault === "timeout") {
        await waitUntil(async () => (await server.read("/messages")).total === arrived);
        timeouts.end();
      }
      const receipt = await sending;
      assertEquals(receipt.outcome, outcome);
      if (receipt.outcome === "rejected") {
        assertEquals(receipt.retryable, fault === "rate_limit");
        assertEquals(receipt.retryAfterMs, fault === "rate_limit" ? 7_000 : undefined);
      }
      assertEquals((await server.read("/messages")).total, arrived);
      const next = await provider.send(message, { timeoutMs: 60_000 });
      assertEquals(next.outcome, "accepted", "the fault is used up");
    });
  }
}

Deno.test("whatsapp_cloud accepts a filled template and shows its filled text and its values", async () => {
  await using server = startSimulator();
  const provider = await registry.get("whatsapp_cloud").open(
    configOf("whatsapp_cloud", server.url),
    crypto.randomUUID(),
  );
  const bearer = { Authorization: "Bearer T" };
  const { json: created } = await server.post("/graph/v23.0/10229/message_templates", {
    name: "order_update",
    language: "pt_BR",
    category: "UTILITY",
    parameter_format: "NAMED",
    components: [
      { type: "HEADER", format: "IMAGE" },
      { type: "BODY", text: "Olá, {{nome}}!" },
      {
        type: "BUTTONS",
        buttons: [{ type: "URL", text: "Ver", url: "https://example.com/{{1}}" }],
      },
    ],
  }, bearer);
  const { id: templateId } = created as { id: string };
  await server.post("/template-reviews", { templateId, status: "APPROVED" });
  const components = [
    { type: "header", parameters: [{ type: "image", image: { link: image.mediaUrl } }] },
    { type: "body", parameters: [{ type: "text", parameter_name: "nome", text: "Ana" }] },
    {
      type: "button",
      sub_type: "url",
      index: "0",
      parameters: [{ type: "text", text: "pedido/7" }],
    },
  ];
  const content = {
    messageType: "template",
    template: { name: "order_update", language: "pt_BR", components },
  } as const;
  const receipt = await provider.send(
    { messageId: crypto.randomUUID(), to: "5511912345678", content },
    { timeoutMs: 60_000 },
  );
  assertEquals(receipt.outcome, "accepted");
  const { items } = await server.read("/messages");
  assertObjectMatch(items[0] ?? {}, {
    messageType: "template",
    text: "Olá, Ana!",
    template: { name: "order_update", language: "pt_BR", components },
  });
});
