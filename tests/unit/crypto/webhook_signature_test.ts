import { Buffer } from "node:buffer";
import { Webhook } from "standardwebhooks";
import { createWebhookSecret } from "../../../shared/crypto/webhook_secret.ts";
import { signWebhook } from "../../../shared/crypto/webhook_signature.ts";
import { assert, assertEquals, assertMatch, assertThrows } from "../../support/assert.ts";

const body = JSON.stringify({ id: "evt_1", data: { message: "Olá, ação 🎉", nested: [1, null] } });
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

function headersOf(
  secrets: readonly string[],
  timestampSeconds = nowSeconds(),
): Record<string, string> {
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signWebhook(secrets, { id: "evt_1", timestampSeconds, body }),
  };
}

Deno.test("a secret is whsec_ and base64 of 32 bytes, and no two are alike", () => {
  const secrets = Array.from({ length: 50 }, createWebhookSecret);
  for (const secret of secrets) {
    assertMatch(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assertEquals(Buffer.from(secret.slice(6), "base64").byteLength, 32);
  }
  assertEquals(new Set(secrets).size, secrets.length);
});

Deno.test("the npm package standardwebhooks verifies a signature over the very bytes", () => {
  const secret = createWebhookSecret();
  const receiver = new Webhook(secret);

  assertEquals(receiver.verify(body, headersOf([secret])), JSON.parse(body));
  assertThrows(() => receiver.verify(body.replace("Olá", "Ola"), headersOf([secret])));
  assertThrows(() => receiver.verify(body, { ...headersOf([secret]), "webhook-id": "evt_2" }));
  assertThrows(() => receiver.verify(body, headersOf([createWebhookSecret()])));
  assertThrows(() => receiver.verify(body, headersOf([secret], nowSeconds() - 600)));
});

Deno.test("with two secrets a receiver that knows either one accepts the call", () => {
  const [former, current] = [createWebhookSecret(), createWebhookSecret()];
  const headers = headersOf([current, former]);

  assertEquals(headers["webhook-signature"]?.split(" ").length, 2);
  assert(headers["webhook-signature"]?.split(" ").every((part) => part.startsWith("v1,")));
  for (const secret of [former, current]) {
    assertEquals(new Webhook(secret).verify(body, headers), JSON.parse(body));
  }
});

Deno.test("a signature is that of the example in the Standard Webhooks specification's library", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const content = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  assertEquals(signWebhook([secret], content), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});
