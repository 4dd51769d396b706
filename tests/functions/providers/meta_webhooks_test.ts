/**
 * Reads the webhook examples of Meta's own OpenAPI description with our reader. The description
 * belongs to another repository and is not stored in this one. The folder named by JUDGES_DIR, by
 * default `shared/judges` beside this checkout, may hold it as `whatsapp-cloud-api/openapi.yaml`.
 * Without it these tests are skipped.
 */
import { parse } from "yaml";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { assertEquals } from "../../support/assert.ts";

const file = findDescription();
const isMissing = file === undefined;
const note = isMissing
  ? " (skipped: Meta's openapi.yaml is not there to read, set JUDGES_DIR)"
  : "";

function findDescription(): string | undefined {
  try {
    const folder = Deno.env.get("JUDGES_DIR") ??
      `${import.meta.dirname}/../../../../shared/judges`;
    const path = `${folder}/whatsapp-cloud-api/openapi.yaml`;
    return Deno.statSync(path).isFile ? path : undefined;
  } catch {
    // Absent, or not readable in this run. Both mean that there is no description.
    return undefined;
  }
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>;

let loaded: Examples | undefined;

/** The examples, parsed once. */
function loadExamples(): Examples {
  return loaded ??= parse(Deno.readTextFileSync(file ?? ""))
    .paths["/whatsapp/webhooks"].post.requestBody.content["application/json"].examples as Examples;
}

const sheena = {
  kind: "message",
  origin: "inbound",
  address: "16505551234",
  otherAddresses: [],
  contactName: "Sheena Nelson",
  isGroup: false,
};

/** The event of each example, without its id and time; null if it gives no event. */
const meanings: Readonly<Record<string, Record<string, unknown> | null>> = {
  "Text Message": { ...sheena, "messageType": "text", "message": "Does it come in another color?" },
  "Text Message with Context (Product Inquiry)": {
    ...sheena,
    "product": { "productId": "di9ozbzfi4", "catalogId": "194836987003835" },
    "messageType": "text",
    "message": "Is this still available?",
  },
  "Text Message from Click to WhatsApp Ad": {
    ...sheena,
    "referral": {
      "sourceType": "ad",
      "sourceId": "120226305854810726",
      "sourceUrl": "https://fb.me/3cr4Wqqkv",
      "headline": "Chat with us",
      "body": "Summer Succulents are here!",
      "clickId":
        "Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4_0NiNhEgpGo0AHemvuSoifXaytfTzcchptiErTKCqTrJ5nW1h7IHYeYymGb5K5J5iTROpBhWAGaIAeUzHL50",
      "mediaUrl": "https://scontent.xx.fbcdn.net/v/t45.1...",
      "imageUrl": "https://scontent.xx.fbcdn.net/v/t45.1...",
      "mediaType": "image",
      "welcomeMessage": "Hi there! Let us know how we can help!",
    },
    "messageType": "text",
    "message": "Hello! Can I get more info on this?",
  },
  "Reaction Message": { ...sheena, "kind": "reaction", "message": "[reaction] 👍", "emoji": "👍" },
  "Image Message": {
    ...sheena,
    "messageType": "image",
    "message": "Taj Mahal",
    "mediaId": "1003383421387256",
  },
  "Location Message": {
    ...sheena,
    "messageType": "location",
    "message":
      "[location] Philz Coffee, 101 Forest Ave, Palo Alto, CA 94301, 37.44221496582 -122.16165924072",
    "location": {
      "latitude": 37.44221496582,
      "longitude": -122.16165924072,
      "name": "Philz Coffee",
      "address": "101 Forest Ave, Palo Alto, CA 94301",
      "url": "https://philzcoffee.com/",
    },
  },
  "Contact Sharing Message": {
    ...sheena,
    "messageType": "contacts",
    "message": "[contact] Lucía Gómez +1 (983) 555-2319",
    "contacts": [{
      "name": "Lucía Gómez",
      "phones": ["+1 (983) 555-2319"],
      "organization": "Google",
    }],
  },
  "Unsupported Message": {
    ...sheena,
    "errors": [{
      "code": "131051",
      "title": "Message type unknown",
      "details": "Message type is currently not supported.",
    }],
    "messageType": "other",
    "message": "[unsupported] Message type unknown",
    "isUnreadable": true,
  },
  "Button Message": {
    ...sheena,
    "messageType": "choice",
    "message": "Unsubscribe",
    "choice": { "id": "Unsubscribe", "title": "Unsubscribe" },
  },
  "Interactive List Reply Message": {
    ...sheena,
    "messageType": "option_list",
    "message": "Priority Mail Express",
    "choice": {
      "id": "priority_express",
      "title": "Priority Mail Express",
      "description": "Next Day to 2 Days",
    },
  },
  "Interactive Button Reply Message": {
    ...sheena,
    "messageType": "choice",
    "message": "Cancel",
    "choice": { "id": "cancel-button", "title": "Cancel" },
  },
  "Order Message": {
    ...sheena,
    "messageType": "order",
    "message": "[order] 2 × di9ozbzfi4 30 USD, 1 × nqryix03ez 25 USD",
    "order": {
      "catalogId": "194836987003835",
      "items": [{ "productId": "di9ozbzfi4", "quantity": 2, "price": "30", "currency": "USD" }, {
        "productId": "nqryix03ez",
        "quantity": 1,
        "price": "25",
        "currency": "USD",
      }],
    },
  },
  "System Message": {
    "kind": "number_change",
    "eventId": "wamid.HBgLMTk4MzU1NTE5NzQVAgASGAoxMTgyMDg2MjY3AA==",
    "oldAddress": "16505551234",
    "newAddress": "12195555358",
  },
  "Group Create Message": null,
  "Group Settings Update": null,
  "Group Remove Participants": null,
};

Deno.test({
  name: `each of Meta's webhook examples gives the expected event${note}`,
  ignore: isMissing,
  fn(): void {
    const examples = loadExamples();
    assertEquals(Object.keys(examples).sort(), Object.keys(meanings).sort());
    for (const [name, { value }] of Object.entries(examples)) {
      const events = JSON.parse(JSON.stringify(readProviderEvents("whatsapp_cloud", value)));
      for (const { mediaId, file, quotedProviderMessageId } of events) {
        assertEquals(file?.source.id, mediaId, name);
        assertEquals(quotedProviderMessageId, readContextId(value), name);
      }
      const read = events.map(withoutReferences);
      const meaning = meanings[name];
      assertEquals(read, meaning === null ? [] : [meaning], name);
    }
  },
});

Deno.test({
  name: `each of Meta's example messages keeps its id and its time${note}`,
  ignore: isMissing,
  fn(): void {
    for (const { value } of Object.values(loadExamples())) {
      for (const event of readProviderEvents("whatsapp_cloud", value)) {
        if (event.kind !== "message" && event.kind !== "reaction") continue;
        assertEquals(event.providerMessageId.startsWith("wamid."), true);
        assertEquals(event.sentAt?.startsWith("2025-0"), true);
      }
    }
  },
});

/** Leaves out what is compared with the example itself: ids, the time and the file. */
function withoutReferences(event: Record<string, unknown>): Record<string, unknown> {
  const left = new Set(["providerMessageId", "sentAt", "file", "quotedProviderMessageId"]);
  return Object.fromEntries(Object.entries(event).filter(([name]) => !left.has(name)));
}

/** The id of the message that an example's message answers or reacts to. */
// deno-lint-ignore no-explicit-any -- an example of Meta's is read as it is
function readContextId(value: any): string | undefined {
  const [message] = value.entry?.[0]?.changes?.[0]?.value.messages ?? [];
  return message?.context?.id ?? message?.reaction?.message_id;
}
