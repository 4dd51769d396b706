import { requireCode } from "../../../shared/connections/open_connection.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals, assertThrows } from "../../support/assert.ts";

function refusalOf(call: () => unknown): AppError {
  const error = assertThrows(call);
  assert(error instanceof AppError);
  return error;
}

Deno.test("a code that no QR code of WhatsApp has is the gateway's fault, and no part of the error", () => {
  const code = (text: string): ReturnType<typeof requireCode> =>
    requireCode({ outcome: "code", text, lifetimeSeconds: 20 }, "qr");
  assertEquals(code("2".repeat(1_000)).text.length, 1_000);
  // Too long; the bytes of a picture; a sentence.
  for (const text of ["2".repeat(1_001), "\ufffdPNG\r\n", "QR code is not ready"]) {
    const error = refusalOf(() => code(text));
    assertEquals([error.code, error.extras.body], ["provider_connection_failed", {
      details: { code: "malformed_answer", message: "The provider's response is unusable." },
    }]);
  }
});

Deno.test("a code that is typed is eight letters and digits, whatever the gateway writes between them", () => {
  const code = (text: string): string =>
    requireCode({ outcome: "code", text, lifetimeSeconds: 60 }, "code").text;
  assertEquals([code("ABCD-1234"), code("ABCD1234")], ["ABCD1234", "ABCD1234"]);
  for (const text of ["ABCD-123", "2@abcdef,", "ABCD 1234", ""]) {
    assertEquals(refusalOf(() => code(text)).code, "provider_connection_failed", text);
  }
});

Deno.test("each outcome without a code is a refusal of its own", () => {
  for (
    const [outcome, code] of [
      ["already_connected", "already_connected"],
      ["not_ready", "connection_pending"],
      ["passkey_required", "passkey_required"],
    ] as const
  ) {
    assertEquals(refusalOf(() => requireCode({ outcome }, "qr")).code, code);
  }
});
