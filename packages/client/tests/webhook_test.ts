import { Buffer } from "node:buffer";
import { runInNewContext } from "node:vm";
import { Webhook } from "standardwebhooks";
import { assertEquals, assertRejects } from "../../../tests/support/assert.ts";
import { verifyWebhook, WebhookError } from "../src/index.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_QW5vdGhlciBzZWNyZXQgb2YgMzIgYnl0ZXMhISEhISE=";
const body = JSON.stringify({
  id: "evt_1",
  type: "message.received",
  data: { message: "Olá, João 👋" },
});

/** A delivery as the reference library signs it. */
function sign(keys: readonly string[], { age = 0, text = body } = {}): Record<string, string> {
  const at = new Date(Date.now() - age * 1_000);
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
    "webhook-signature": keys.map((key) => new Webhook(key).sign("evt_1", at, text)).join(" "),
  };
}

async function refusalOf(
  headers: Record<string, string>,
  secrets: string | string[] = secret,
  text: string = body,
): Promise<string> {
  return (await assertRejects(() => verifyWebhook(text, headers, secrets), WebhookError)).code;
}

Deno.test("Standard Webhooks' own vector verifies", async () => {
  const event = await verifyWebhook(
    '{"test": 2432232314}',
    {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    { toleranceSeconds: Infinity },
  );
  assertEquals(event as unknown, { test: 2432232314 });
});

Deno.test("what the reference library signs verifies, as text, as bytes, with headers of every form", async () => {
  const headers = sign([secret]);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  for (const form of [headers, upper, new Headers(headers)]) {
    const event = await verifyWebhook(body, form, secret);
    // The type tells the events apart.
    assertEquals(event.type === "message.received" && event.data.message, "Olá, João 👋");
  }
  const bytes = new TextEncoder().encode(body);
  assertEquals((await verifyWebhook(bytes, headers, [other, secret])).id, "evt_1");
});

Deno.test("a body verifies in every form in which it may be handed on", async () => {
  const headers = sign([secret]);
  const bytes = new TextEncoder().encode(body);
  // In the middle of a larger buffer, as servers' pools hand them out.
  const pool = new Uint8Array(bytes.length + 16);
  pool.set(bytes, 8);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const forms = [
    body,
    bytes,
    Buffer.from(body),
    bytes.buffer,
    new DataView(pool.buffer, 8, bytes.length),
    pool.subarray(8, 8 + bytes.length),
    new Uint8ClampedArray(bytes),
    shared,
    new Uint8Array(shared),
    runInNewContext("new Uint8Array(bytes).buffer", { bytes: [...bytes] }),
  ];
  for (const [index, form] of forms.entries()) {
    assertEquals((await verifyWebhook(form, headers, secret)).id, "evt_1", `form ${index}`);
  }
});

Deno.test("whatever else a call holds is a WebhookError that says what is wrong, and nothing is believed", async () => {
  const headers = sign([secret]);
  // deno-lint-ignore no-explicit-any -- what callers without types pass
  const codeOf = async (...call: any[]): Promise<string> => {
    const verify = verifyWebhook as (...call: unknown[]) => Promise<unknown>;
    return (await assertRejects(() => verify(...call), WebhookError)).code;
  };
  const gone = new Uint8Array(8);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const bodies = [JSON.parse(body), undefined, null, 7, [1, 2], new Blob([body]), gone.buffer];
  for (const given of bodies) {
    assertEquals(await codeOf(given, headers, secret), "invalid_body", String(given));
  }
  for (const text of ["", "no JSON", "null", "7"]) {
    assertEquals(await codeOf(text, sign([secret], { text }), secret), "invalid_body", text);
  }
  for (const none of [undefined, null, "text", 7, []]) {
    assertEquals(await codeOf(body, none, secret), "missing_header", String(none));
  }
  for (const none of [undefined, null, 7, [null], [undefined, ""], {}]) {
    assertEquals(await codeOf(body, headers, none), "invalid_signature", String(none));
  }
  for (const toleranceSeconds of [NaN, "soon", null]) {
    assertEquals(
      await codeOf(body, sign([secret], { age: 9_000 }), secret, { toleranceSeconds }),
      "timestamp",
    );
  }
});

Deno.test("headers of another implementation than the global one are read", async () => {
  const kept = new Headers(sign([secret]));
  const foreign = { get: (name: string) => kept.get(name) } as Headers;
  assertEquals((await verifyWebhook(body, foreign, secret)).id, "evt_1");
});

Deno.test("while a secret is replaced, either secret verifies what both have signed", async () => {
  for (const secrets of [[secret], [other], [other, secret]]) {
    assertEquals((await verifyWebhook(body, sign([secret, other]), secrets)).id, "evt_1");
  }
  assertEquals(await refusalOf(sign([other])), "invalid_signature");
});

Deno.test("a changed body, id, time or signature is refused", async () => {
  const headers = sign([secret]);
  const now = Number(headers["webhook-timestamp"]);
  assertEquals(await refusalOf(headers, secret, body.replace("João", "Joao")), "invalid_signature");
  assertEquals(await refusalOf(headers, secret, `${body} `), "invalid_signature");
  assertEquals(await refusalOf({ ...headers, "webhook-id": "evt_2" }), "invalid_signature");
  assertEquals(
    await refusalOf({ ...headers, "webhook-timestamp": `${now - 1}` }),
    "invalid_signature",
  );
  for (const signature of ["v1,", "v1,AAAA", "v1,%%%", "v2,AAAA", "AAAA", "v1a,AAAA"]) {
    assertEquals(
      await refusalOf({ ...headers, "webhook-signature": signature }),
      "invalid_signature",
    );
  }
  assertEquals(await refusalOf(headers, []), "invalid_signature");
});

Deno.test("a delivery that is too old, of the future or without a time is refused, also with a valid signature", async () => {
  assertEquals((await verifyWebhook(body, sign([secret], { age: 290 }), secret)).id, "evt_1");
  assertEquals(await refusalOf(sign([secret], { age: 310 })), "timestamp");
  assertEquals(await refusalOf(sign([secret], { age: -310 })), "timestamp");
  assertEquals(await refusalOf({ ...sign([secret]), "webhook-timestamp": "now" }), "timestamp");
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const { [name]: _, ...rest } = sign([secret]);
    assertEquals(await refusalOf(rest), "missing_header");
  }
});

Deno.test("a secret without a key verifies nothing, whatever was signed, and the others do", async () => {
  // HMAC fills keys with zeros: this one signs as an empty key does.
  const forged = sign([`whsec_${btoa("\0")}`]);
  for (const empty of ["", "whsec_", "whsec_%%%"]) {
    assertEquals(await refusalOf(forged, empty), "invalid_signature");
    assertEquals((await verifyWebhook(body, sign([secret]), [empty, secret])).id, "evt_1");
  }
});
