import fc from "fast-check";
import { verifySignature } from "../../../../shared/providers/webhooks/signature.ts";
import { metaSignature } from "../../../../shared/providers/whatsapp_cloud/webhook.ts";
import { signBody } from "../../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { assertEquals, assertMatch } from "../../../support/assert.ts";

const body = new TextEncoder().encode('{"name":"Jos\\u00e9"}');

Deno.test("a signature is HMAC-SHA256 of the bytes, in lower-case hexadecimal", async () => {
  // RFC 4231, test case 2.
  const bytes = new TextEncoder().encode("what do ya want for nothing?");
  assertEquals(
    await signBody(bytes, "Jefe"),
    "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});

Deno.test("exactly the signed bytes are accepted, in either case of the digits", async () => {
  const header = await signBody(body, "secret");
  assertMatch(header, /^sha256=[0-9a-f]{64}$/);
  assertEquals(await verifySignature(metaSignature, body, header, "secret"), true);
  assertEquals(
    await verifySignature(metaSignature, body, header.replace(/[a-f]/g, upper), "secret"),
    true,
  );
  const decoded = new TextEncoder().encode('{"name":"José"}');
  assertEquals(await verifySignature(metaSignature, decoded, header, "secret"), false);
  assertEquals(await verifySignature(metaSignature, body, header, "Secret"), false);
});

function upper(letter: string): string {
  return letter.toUpperCase();
}

Deno.test("a missing or malformed header, and an empty secret, fail the check", async () => {
  const header = await signBody(body, "secret");
  const malformed = [
    ...[undefined, "", "sha256=", header.slice(0, -1), `${header}0`, `${header}\n`, ` ${header}`],
    ...[header.replace("sha256", "sha1"), header.slice(7), header.replace(/.$/, "g")],
    ...[`${header},${header}`, "sha256=".padEnd(71, "é")],
  ];
  for (const value of malformed) {
    assertEquals(await verifySignature(metaSignature, body, value, "secret"), false, value);
  }
  assertEquals(await verifySignature(metaSignature, body, header, ""), false);
});

Deno.test("no other byte, bit or header passes for the signed one", async () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat(), fc.string(), async (signed, place, header) => {
      const signature = await signBody(signed, "secret");
      const forged = signed.slice();
      const index = place % forged.length;
      forged[index] = (forged[index] ?? 0) ^ (1 << (place % 8));
      assertEquals(await verifySignature(metaSignature, signed, signature, "secret"), true);
      assertEquals(await verifySignature(metaSignature, forged, signature, "secret"), false);
      assertEquals(await verifySignature(metaSignature, signed, header, "secret"), false);
    }),
  );
});
