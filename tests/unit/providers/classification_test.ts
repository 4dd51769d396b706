import {
  classifyHttpStatus,
  toFailureReceipt,
  toRefusalReceipt,
} from "../../../shared/providers/classification.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("an HTTP status alone means retry, refused or unknown", () => {
  const expected = {
    "retryable instance": [429, 503],
    "permanent instance": [300, 301, 302, 303, 304, 307, 308, 401, 402, 403],
    "permanent message": [400, 404, 405, 406, 409, 410, 413, 415, 422, 451],
    "ambiguous": [408, 500, 501, 502, 504, 520, 524, 599],
  };
  for (const [name, statuses] of Object.entries(expected)) {
    for (const status of statuses) {
      const classification = classifyHttpStatus(status);
      const scope = "scope" in classification ? ` ${classification.scope}` : "";
      assertEquals(`${classification.verdict}${scope}`, name, `HTTP ${status}`);
    }
  }
});

Deno.test("only a retryable refusal carries a wait", () => {
  const refusal = { code: "c", message: "m", retryAfterMs: 5 };
  assertEquals(toRefusalReceipt({ verdict: "retryable", scope: "recipient" }, refusal), {
    outcome: "rejected",
    code: "c",
    message: "m",
    retryable: true,
    retryAfterMs: 5,
    scope: "recipient",
  });
  assertEquals(toRefusalReceipt({ verdict: "permanent", scope: "message" }, refusal), {
    outcome: "rejected",
    code: "c",
    message: "m",
    retryable: false,
    scope: "message",
  });
  assertEquals(toRefusalReceipt({ verdict: "ambiguous" }, refusal), {
    outcome: "unknown",
    reason: "c",
  });
});

Deno.test("a call that never reached the provider may be retried, a lost call may not", () => {
  assertEquals(toFailureReceipt({ outcome: "not_reached", reason: "connection_failed" }), {
    outcome: "rejected",
    code: "provider_unreachable",
    message: "No connection to the provider could be made.",
    retryable: true,
    scope: "instance",
    isOutage: true,
  });
  for (const reason of ["timed_out", "connection_lost"] as const) {
    assertEquals(toFailureReceipt({ outcome: "unknown", reason }), { outcome: "unknown", reason });
  }
});
