import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import {
  cloudMessage,
  evolutionEvent,
  evolutionMessage,
  readEvent,
  zapiMessage,
} from "./event_payloads.ts";

type Json = Record<string, unknown>;

const cloud = (message: Json): Json => cloudMessage(message);
const evolution = (message: Json, data: Json = {}): Json =>
  evolutionEvent("messages.upsert", evolutionMessage(message, data));
const flow = (params: Json): Json => ({
  interactiveResponseMessage: {
    nativeFlowResponseMessage: { name: "flow", paramsJson: JSON.stringify(params) },
  },
});

/** What nobody said or sent: shown in the history, and no agent's to answer. */
const wordless: readonly (readonly [ProviderKind, Json, string])[] = [
  [
    "whatsapp_cloud",
    cloud({ type: "unknown", errors: [{ title: "Message type unknown" }] }),
    "[unknown] Message type unknown",
  ],
  ["whatsapp_cloud", cloud({ type: "request_welcome" }), "[request_welcome]"],
  ["whatsapp_cloud", cloud({ type: "interactive", interactive: {} }), "[interactive]"],
  ["whatsapp_cloud", cloud({ type: "payment", payment: { status: "captured" } }), "[payment]"],
  ["whatsapp_cloud", cloud({ type: "button", button: {} }), "[button]"],
  ["zapi", zapiMessage({ requestPayment: { value: 10 } }), "[payment] request, 10"],
  ["zapi", zapiMessage({ sendPayment: { value: 10 } }), "[payment] 10"],
  ["zapi", zapiMessage({ reviewAndPay: { type: "ORDER", orderId: "1" } }), "[payment]"],
  ["zapi", zapiMessage({ unheardOf: { id: "1" } }), "[other]"],
  ["evolution", evolution({ sendPaymentMessage: { requestMessageKey: {} } }), "[payment]"],
  ["evolution", evolution({ unheardOfMessage: { id: "1" } }), "[other]"],
  // The business channel of Evolution leaves nothing of the answer to a form.
  ["evolution", evolution({}, { messageType: "interactiveMessage" }), "[interactive]"],
  [
    "evolution",
    evolution({ contextInfo: { stanzaId: "M1" } }, { messageType: "interactiveMessage" }),
    "[interactive]",
  ],
  ["evolution", evolution(flow({ flow_token: "T" })), "[interactive]"],
];

for (const [kind, payload, words] of wordless) {
  Deno.test(`${kind}: ${words} stands in the history and is no agent's to answer`, () => {
    const event = readEvent(kind, payload);
    assertEquals([event?.["message"], event?.["isUnreadable"]], [words, true]);
  });
}

/** What a person said or sent. */
const said: readonly (readonly [ProviderKind, Json, string])[] = [
  [
    "whatsapp_cloud",
    cloud({ type: "location", location: { latitude: "-23.5", longitude: "-46" } }),
    "[location] -23.5 -46",
  ],
  ["whatsapp_cloud", cloud({ type: "order", order: { product_items: [{}] } }), "[order] 1 × item"],
  [
    "zapi",
    zapiMessage({ location: { latitude: "-23.5", longitude: "-46" } }),
    "[location] -23.5 -46",
  ],
  ["zapi", zapiMessage({ sendPayment: { note: { text: "Sinal" } } }), "[payment] Sinal"],
  ["zapi", zapiMessage({ unheardOf: { title: "Olá" } }), "[other] Olá"],
  [
    "evolution",
    evolution({ locationMessage: { degreesLatitude: "-23.5", degreesLongitude: "-46" } }),
    "[location] -23.5 -46",
  ],
  ["evolution", evolution(flow({ nome: "Ana", flow_token: "T" })), "[form] nome: Ana"],
  ["evolution", evolution({ pollCreationMessage: { name: "Dia?" } }), "[poll] Dia?"],
];

for (const [kind, payload, words] of said) {
  Deno.test(`${kind}: ${words} asks the agent`, () => {
    const event = readEvent(kind, payload);
    assertEquals([event?.["message"], event?.["isUnreadable"]], [words, undefined]);
  });
}

Deno.test("what is no place on earth has no coordinates", () => {
  for (const latitude of ["", " ", "north", "1e3", "91", null, true, Infinity]) {
    const event = readEvent("zapi", zapiMessage({ location: { latitude, longitude: "0" } }));
    assertEquals(event?.["message"], "[location]");
  }
});
