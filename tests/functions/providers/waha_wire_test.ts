/** WAHA over HTTP: each kind of message, each engine's answer, and what it is asked beside sending. */
import { oneOfEachType } from "../../support/fixtures/one_of_each_type.ts";
import type { MessageContent } from "../../../shared/model/message_content.ts";
import type { ChannelAction } from "../../../shared/providers/action.ts";
import type { ActionReceipt, Provider } from "../../../shared/providers/provider.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { type ProviderDouble, withProviderDouble } from "./provider_double.ts";

const to = "5511987654321";
const chatId = `${to}@c.us`;
const session = "loja";
const files = "https://files.example.com";
const options = { timeoutMs: 30_000 };
const config = { session: "loja 1", apiKey: "waha-key", webhookKey: "hook-key" };

function connect(baseUrl: string, members: object = {}): Promise<Provider> {
  return registry.get("waha").open(
    { ...config, session, baseUrl, ...members },
    crypto.randomUUID(),
  );
}

/** The answers of the three engines to one message. */
const answers: Readonly<Record<string, unknown>> = {
  WEBJS: { id: { fromMe: true, remote: chatId, id: "3EB0W", _serialized: `true_${chatId}_3EB0W` } },
  NOWEB: { key: { remoteJid: `${to}@s.whatsapp.net`, fromMe: true, id: "3EB0W" } },
  GOWS: { id: `true_${chatId}_3EB0W`, _data: { Info: { ID: "3EB0W" } } },
};

const vcard = [
  ...["BEGIN:VCARD", "VERSION:3.0", "FN:Ana", "ORG:Loja;"],
  ...["TEL;type=CELL;type=VOICE;waid=5511987654321:+5511987654321"],
  ...["EMAIL;type=INTERNET:ana@example.com", "URL:https://example.com/ana", "END:VCARD"],
].join("\n");

/** The page of Send messages, kind by kind: the path below `/api`, and what stands beside the chat. */
const wire: readonly (readonly [name: string, MessageContent, verb: string, members: object])[] = [
  ["text", { messageType: "text", message: "Olá" }, "sendText", { text: "Olá" }],
  ["text without preview", oneOfEachType.text, "sendText", { text: "Olá", linkPreview: false }],
  ["image", oneOfEachType.image, "sendImage", {
    file: { mimetype: "image/jpeg", url: `${files}/a.jpg` },
    caption: "Veja",
  }],
  ["image of an unknown type", { messageType: "image", mediaUrl: `${files}/a` }, "sendImage", {
    file: { mimetype: "image/jpeg", url: `${files}/a` },
  }],
  ["video", oneOfEachType.video, "sendVideo", {
    file: { mimetype: "video/mp4", url: `${files}/a.mp4` },
    caption: "Veja",
  }],
  ["audio", oneOfEachType.audio, "sendVoice", {
    file: { mimetype: "audio/ogg; codecs=opus", url: `${files}/a.mp3` },
    convert: true,
  }],
  ["voice", oneOfEachType.voice, "sendVoice", {
    file: { mimetype: "audio/ogg; codecs=opus", url: `${files}/a.ogg` },
    convert: false,
  }],
  ["document", oneOfEachType.document, "sendFile", {
    file: { mimetype: "application/pdf", url: `${files}/a.pdf`, filename: "Oferta.pdf" },
    caption: "Segue",
  }],
  ["document without a name", { messageType: "document", mediaUrl: `${files}/a` }, "sendFile", {
    file: { mimetype: "application/octet-stream", url: `${files}/a`, filename: "document" },
  }],
  ["sticker", oneOfEachType.sticker, "sendSticker", {
    file: { mimetype: "image/webp", url: `${files}/a.webp` },
  }],
  ["location", oneOfEachType.location, "sendLocation", {
    ...{ latitude: -23.56, longitude: -46.65, title: "Loja" },
  }],
  [
    "location without a name",
    { messageType: "location", location: { latitude: 1, longitude: 2 } },
    "sendLocation",
    { latitude: 1, longitude: 2, title: "1, 2" },
  ],
  ["contacts", oneOfEachType.contacts, "sendContactVcard", { contacts: [{ vcard }] }],
  ["option list", oneOfEachType.option_list, "sendList", {
    message: {
      title: "Horários",
      description: "Quando?",
      button: "Ver",
      sections: [{
        title: "Horários",
        rows: [
          { title: "Manhã", rowId: "m", description: "8h às 12h" },
          { title: "Tarde", rowId: "2", description: null },
        ],
      }],
    },
  }],
];

for (const [engine, json] of Object.entries(answers)) {
  for (const [name, content, verb, members] of wire) {
    Deno.test(`WAHA, ${engine}: a ${name} is one documented request, accepted by its bare id`, async () => {
      await withProviderDouble(() => Response.json(json, { status: 201 }), async (double) => {
        const provider = await connect(double.baseUrl);
        const receipt = await provider.send({ messageId: "own", to, content }, options);
        assertEquals(receipt, { outcome: "accepted", providerMessageId: "3EB0W", waId: to });
        const [request, ...more] = double.requests;
        assertEquals(more, []);
        assertEquals([request?.method, request?.path], ["POST", `/api/${verb}`]);
        assertEquals(request?.body, { session, chatId, ...members });
        assertEquals(request?.headers.get("x-api-key"), "waha-key");
      });
    });
  }
}

/** Who is written to, and which chat that is. */
const chats: readonly (readonly [string, string])[] = [
  [to, chatId],
  ["81896604192873@lid", "81896604192873@lid"],
  ["120363041234567890@g.us", "120363041234567890@g.us"],
];

for (const [address, chat] of chats) {
  Deno.test(`WAHA: a message to ${address} goes to ${chat}, and answers by the full id`, async () => {
    await withProviderDouble(() => Response.json(answers["GOWS"]), async (double) => {
      const provider = await connect(double.baseUrl);
      const content = { messageType: "text", message: "Olá" } as const;
      const quoted = { quotedProviderMessageId: "3EB0Q", quotedIsOurs: true };
      await provider.send({ messageId: "own", to: address, content, ...quoted }, options);
      assertEquals(double.requests[0]?.body, {
        ...{ session, chatId: chat, text: "Olá", reply_to: `true_${chat}_3EB0Q` },
      });
    });
  });
}

Deno.test("WAHA: a reaction is a PUT with the full id of its message; an empty one takes it back", async () => {
  await withProviderDouble(() => Response.json(answers["NOWEB"]), async (double) => {
    const provider = await connect(double.baseUrl);
    for (const [emoji, quotedIsOurs] of [["👍", true], [null, false]] as const) {
      const content = { messageType: "reaction", reaction: { messageId: "m", emoji } } as const;
      const receipt = await provider.send(
        { messageId: "own", to, content, quotedProviderMessageId: "3EB0Q", quotedIsOurs },
        options,
      );
      assertEquals(receipt.outcome, "accepted");
    }
    assertEquals(double.requests.map(({ method, path, body }) => [method, path, body]), [
      ["PUT", "/api/reaction", { session, messageId: `true_${chatId}_3EB0Q`, reaction: "👍" }],
      ["PUT", "/api/reaction", { session, messageId: `false_${chatId}_3EB0Q`, reaction: "" }],
    ]);
  });
});

Deno.test("WAHA: a value in a card cannot begin another line of it", async () => {
  await withProviderDouble(() => Response.json({}), async (double) => {
    const provider = await connect(double.baseUrl);
    const card = { name: "Ana\nTEL:190", phones: ["11"], organization: "A; B, C\\D" };
    const content = { messageType: "contacts", contacts: [card] } as const;
    await provider.send({ messageId: "own", to, content }, options);
    const { contacts } = double.requests[0]?.body as { contacts: { vcard: string }[] };
    const lines = contacts[0]?.vcard.split("\n") ?? [];
    assertEquals(lines.filter((line) => line.startsWith("TEL")).length, 1);
    assert(lines.includes("FN:Ana\\nTEL:190"));
    assert(lines.includes("ORG:A\\; B\\, C\\\\D;"));
  });
});

const path = `/api/${session}/chats/${encodeURIComponent(chatId)}/messages/`;
const sentId = encodeURIComponent(`true_${chatId}_3EB0S`);
const text = { messageType: "text", message: "às 11h" } as const;

/** What is asked beside sending: method, path and body. */
const actions: readonly (readonly [ChannelAction, string, string, unknown])[] = [
  [
    { action: "mark_read", to, providerMessageIds: ["A", "B"], showsTyping: false },
    "POST",
    "/api/sendSeen",
    { session, chatId, messageIds: [`false_${chatId}_A`, `false_${chatId}_B`] },
  ],
  [
    { action: "show_typing", to, durationMs: 9_000 },
    "POST",
    "/api/startTyping",
    { session, chatId },
  ],
  [
    { action: "edit", to, providerMessageId: "3EB0S", content: text },
    ...["PUT", path + sentId] as const,
    { text: "às 11h" },
  ],
  [
    { action: "edit", to, providerMessageId: "3EB0S", content: oneOfEachType.document },
    ...["PUT", path + sentId] as const,
    { text: "Segue" },
  ],
  [
    { action: "block", to },
    "POST",
    "/api/contacts/block",
    { session, contactId: chatId },
  ],
  [
    { action: "unblock", to },
    "POST",
    "/api/contacts/unblock",
    { session, contactId: chatId },
  ],
];

async function act(
  double: Pick<ProviderDouble, "baseUrl">,
  action: ChannelAction,
): Promise<ActionReceipt> {
  return await (await connect(double.baseUrl)).act(action, options);
}

for (const [action, method, asked, body] of actions) {
  Deno.test(`WAHA: ${action.action} is ${method} ${asked.slice(0, 40)}, done by its status`, async () => {
    await withProviderDouble(() => new Response(null, { status: 201 }), async (double) => {
      assertEquals(await act(double, action), { outcome: "done" });
      const [request, ...more] = double.requests;
      assertEquals(more, []);
      assertEquals([request?.method, request?.path, request?.body], [method, asked, body]);
    });
  });
}

Deno.test("WAHA: a deletion for everyone names the message in the path", async () => {
  const requests: string[] = [];
  await using server = startTestServer(
    ({ method, url }) => {
      requests.push(`${method} ${new URL(url).pathname}`);
      return new Response();
    },
  );
  const baseUrl = server.origin;
  const action = { action: "delete", to, providerMessageId: "3EB0S" } as const;
  assertEquals(await act({ baseUrl }, action), { outcome: "done" });
  assertEquals(requests, [`DELETE ${path}${sentId}`]);
});

/** Answers that are no success, with the outcome of an action. */
const refusals: readonly (readonly [string, number, object, string])[] = [
  ["an engine without the call", 422, {
    message: "The method is not implemented by the engine.",
  }, "not_supported"],
  ["a feature of another tier", 422, {
    message: "The feature is available only in Plus version for 'NOWEB' engine.",
  }, "not_supported"],
  ["a lost session", 422, { error: "Session status is not as expected." }, "rejected"],
  ["what an engine throws", 500, { exception: { message: "Evaluation failed" } }, "unknown"],
];

for (const [what, status, json, outcome] of refusals) {
  Deno.test(`WAHA: asked for an action, ${what} is ${outcome}`, async () => {
    await withProviderDouble(() => Response.json(json, { status }), async (double) => {
      assertEquals((await act(double, { action: "block", to })).outcome, outcome);
    });
  });
}

Deno.test("WAHA: what it does not edit, and whom it cannot reach, is not asked for", async () => {
  await withProviderDouble(() => new Response(), async (double) => {
    const sticker = { action: "edit", to, providerMessageId: "A", content: oneOfEachType.sticker };
    assertEquals(await act(double, sticker as ChannelAction), { outcome: "not_supported" });
    const userId = "BR.9XJQRIBA77";
    const provider = await connect(double.baseUrl);
    const receipts = [
      await provider.send({ messageId: "own", to: userId, content: text }, options),
      await act(double, { action: "block", to: userId }),
    ];
    for (const receipt of receipts) {
      assert(receipt.outcome === "rejected" && receipt.code === "recipient_needs_phone");
    }
    assertEquals(double.requests, []);
  });
});

/** What a content loses; its own form where it has one, words where that is better. */
const fits: readonly (readonly [MessageContent, object])[] = [
  [oneOfEachType.text, {}],
  [oneOfEachType.option_list, { prefersText: true }],
  [oneOfEachType.buttons, { unsupported: { messageType: "buttons" }, prefersText: true }],
  [oneOfEachType.link_button, { unsupported: { messageType: "link_button" }, prefersText: true }],
  [
    oneOfEachType.location_request,
    { unsupported: { messageType: "location_request" }, prefersText: true },
  ],
  [oneOfEachType.contact_request, { unsupported: { messageType: "contact_request" } }],
  [oneOfEachType.location, { reduced: ["location.address"] }],
  [{ ...oneOfEachType.image, viewOnce: true }, { unsupported: { field: "viewOnce" } }],
];

Deno.test("WAHA: what a content loses is known without a call, and a reply loses nothing", async () => {
  const provider = await connect("http://127.0.0.1:9");
  for (const [content, fit] of fits) {
    for (const isReply of [false, true]) {
      assertEquals<unknown>(provider.fitContent(content, isReply), fit, content.messageType);
    }
  }
  assertEquals(provider.limitTypingMs(9_000, oneOfEachType.text), 0);
});

const key = { "x-api-key": "waha-key" };

/** Where a file is fetched, and with which headers. */
const locations: readonly (readonly [url: string, at: string, Record<string, string>])[] = [
  [
    "http://localhost:3000/api/files/loja/3EB0.jpg",
    "https://waha.example.com/base/api/files/loja/3EB0.jpg",
    key,
  ],
  [
    "https://waha.example.com/base/api/files/loja/3EB0.jpg?a=1",
    "https://waha.example.com/base/api/files/loja/3EB0.jpg?a=1",
    key,
  ],
  [
    "https://s3.example.com/loja/3EB0.jpg?X-Amz=1",
    "https://s3.example.com/loja/3EB0.jpg?X-Amz=1",
    {},
  ],
];

for (const [url, at, headers] of locations) {
  Deno.test(`WAHA: a file at ${url.slice(0, 32)} is fetched where the instance is, with the key there alone`, async () => {
    const provider = await connect("https://waha.example.com/base/");
    assertEquals(await provider.locateFile({ url, id: "A" }, options), {
      outcome: "found",
      locations: [{ url: at, headers, trustedBaseUrl: "https://waha.example.com/base/" }],
    });
  });
}

Deno.test("WAHA: a file that it has not downloaded is asked for by its message, in one call", async () => {
  const seen: string[] = [];
  const media = { url: "http://localhost:3000/api/files/loja/3EB0.jpg", mimetype: "image/jpeg" };
  let answer = (): Response => Response.json({ id: "A", media });
  await using server = startTestServer(
    (request) => {
      const { pathname, search } = new URL(request.url);
      seen.push(`${request.headers.get("x-api-key")} ${pathname}${search}`);
      return answer();
    },
  );
  const baseUrl = server.origin;
  const provider = await connect(baseUrl);
  const id = `false_${chatId}_3EB0`;
  const found = await provider.locateFile({ id }, options);
  assertEquals(found, {
    outcome: "found",
    locations: [{
      url: `${baseUrl}/api/files/loja/3EB0.jpg`,
      headers: key,
      trustedBaseUrl: baseUrl,
    }],
  });
  assertEquals(seen, [
    `waha-key ${path}${encodeURIComponent(id)}?downloadMedia=true`,
  ]);
  const refused: readonly (readonly [() => Response, object])[] = [
    [() => Response.json({ media: { url: null } }), { reason: "gone", isTemporary: false }],
    [() => new Response(null, { status: 404 }), { reason: "gone", isTemporary: false }],
    [() => new Response(null, { status: 401 }), { reason: "http_error", isTemporary: false }],
    [() => new Response(null, { status: 500 }), { reason: "http_error", isTemporary: true }],
  ];
  for (const [next, expected] of refused) {
    answer = next;
    const lookup = await provider.locateFile({ id }, options);
    assertEquals<unknown>({ ...lookup, ...expected }, lookup);
    assertEquals(lookup.outcome, "refused");
  }
});
