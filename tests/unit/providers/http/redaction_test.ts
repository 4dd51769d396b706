import { createRedactor } from "../../../../shared/providers/http/redaction.ts";
import { assert, assertEquals } from "../../../support/assert.ts";
import { assertLinearTime } from "../../../support/growth.ts";

const redact = createRedactor(["EAAG", undefined, "", "EAAG.b+c/d"], "5511987654321");

Deno.test("credentials are removed, plain or percent-encoded, the longer one first", () => {
  assertEquals(
    redact("token EAAG.b+c/d, path /EAAG.b%2Bc%2Fd/x, short EAAG"),
    "token [redacted], path /[redacted]/x, short [redacted]",
  );
  assertEquals(redact("EAAGxb+c/d is another"), "[redacted]xb+c/d is another");
});

Deno.test("the recipient's number is removed in every variant a provider answers with", () => {
  const variants = [
    "5511987654321",
    "551187654321",
    "+55 (11) 98765-4321",
    "5511987654321@s.whatsapp.net",
    "1198765-4321",
  ];
  for (const variant of variants) {
    const text = redact(`number ${variant} failed`);
    assert(!/\d{4}/.test(text), text);
    assert(text.startsWith("number [redacted]"), text);
    assert(text.endsWith("failed"), text);
  }
});

Deno.test("other numbers stay: people need error codes and ids", () => {
  const text = "(#131047) object 106540352242922, 24 hours, template 132000";
  assertEquals(redact(text), text);
});

Deno.test("a secret of one letter is removed, although the text becomes unreadable", () => {
  assertEquals(createRedactor(["a"], "5511987654321")("banal"), "b[redacted]n[redacted]l");
});

Deno.test("the text is one line of at most 500 characters, no emoji cut in half", () => {
  assertEquals(redact("  two\n\n lines\t"), "two lines");
  assertEquals(redact("🙂".repeat(500)), "🙂".repeat(500));
  assertEquals(redact("🙂".repeat(501)), "🙂".repeat(499) + "…");
});

Deno.test("a secret at the truncation point is removed before the truncation", () => {
  const text = redact("x".repeat(495) + "EAAG.b+c/d");
  assert(!text.includes("EAA"), text.slice(480));
});

Deno.test("a body of the largest size is redacted in linear time", () => {
  for (const part of ["5511 98765 ", "1".repeat(11)]) {
    const make = (units: number): string => part.repeat(units);
    assertLinearTime({ make, work: redact, units: 100, factor: 240, what: part });
  }
});

Deno.test("without a recipient only the secrets are removed", () => {
  assertEquals(createRedactor(["EAAG"], null)("EAAG of 10229"), "[redacted] of 10229");
  assertEquals(createRedactor([], null)("as it is"), "as it is");
});
