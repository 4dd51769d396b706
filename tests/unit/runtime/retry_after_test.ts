import { readCloudRetryAfterMs, readRetryAfterMs } from "../../../shared/runtime/retry_after.ts";
import { assertEquals } from "../../support/assert.ts";
import { nowMs } from "../providers/answers.ts";

const DAY_MS = 86_400_000;

Deno.test("Retry-After is read as seconds or as an HTTP date, within 0 and a day", () => {
  const cases: [string, number | undefined][] = [
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5_000],
    ["86401", DAY_MS],
    ["9".repeat(400), DAY_MS],
    ["Fri, 20 Nov 2026 12:01:30 GMT", 90_000],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["Fri, 20 Nov 2037 11:00:00 GMT", DAY_MS],
    ["Fri, 99 Nov 2026 11:00:00 GMT", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["2026", 2_026_000],
    ["2026-11-20", undefined],
    ["", undefined],
  ];
  for (const [value, expected] of cases) {
    assertEquals(readRetryAfterMs(new Headers({ "retry-after": value }), nowMs), expected, value);
  }
  assertEquals(readRetryAfterMs(new Headers(), nowMs), undefined);
});

Deno.test("the Cloud API's usage header counts in minutes, the longest wait of all accounts", () => {
  const read = (usage: string, retryAfter?: string): number | undefined =>
    readCloudRetryAfterMs(
      new Headers({
        "x-business-use-case-usage": usage,
        ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
      }),
      nowMs,
    );
  const usage = JSON.stringify({
    "102": [{ type: "whatsapp", estimated_time_to_regain_access: 2 }],
    "103": [
      { type: "messaging", estimated_time_to_regain_access: 0 },
      { type: "whatsapp", estimated_time_to_regain_access: 19 },
    ],
  });
  assertEquals(read(usage), 19 * 60_000);
  assertEquals(read(usage, "1"), 1_000);
  assertEquals(read('{"1":[{"estimated_time_to_regain_access":99999}]}'), DAY_MS);
  const unusable = ["", "{", "null", "7", "{}", '{"1":7}', '{"1":[null]}'];
  for (const text of [...unusable, '{"1":[{"estimated_time_to_regain_access":"9"}]}']) {
    assertEquals(read(text), undefined, text);
  }
});
