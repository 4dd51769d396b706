import { requireCode } from "../../../shared/connections/open_connection.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assert, assertEquals, assertThrows } from "../../support/assert.ts";

function refusalOf(call: () => unknown): AppError {
  const error = assertThrows(call);
  assert(error instanceof AppError);
  return error;
}

Deno.test("a code that no QR code of WhatsApp has is the gateway's fault, and no part of the error", () => {
  const code = (length: number): ReturnType<typeof requireCode> =>
    requireCode({ outcome: "code", text: "2".repeat(length), lifetimeSeconds: 20 });
  assertEquals(code(1_000).text.length, 1_000);
  const error = refusalOf(() => code(1_001));
  assertEquals([error.code, error.extras.body], ["provider_connection_failed", {
    details: { code: "malformed_answer", message: "The provider's response is unusable." },
  }]);
});

Deno.test("each outcome without a code is a refusal of its own", () => {
  for (
    const [outcome, code] of [
      ["already_connected", "already_connected"],
      ["not_ready", "connection_pending"],
      ["passkey_required", "passkey_required"],
    ] as const
  ) {
    assertEquals(refusalOf(() => requireCode({ outcome })).code, code);
  }
});
