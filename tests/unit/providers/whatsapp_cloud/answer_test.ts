import { readWhatsappCloudAnswer } from "../../../../shared/providers/whatsapp_cloud/answer.ts";
import type { Receipt } from "../../../../shared/providers/provider.ts";
import { assert, assertEquals } from "../../../support/assert.ts";
import { jsonAnswer, plainReading, textAnswer } from "../answers.ts";

function readError(status: number, error: unknown, headers?: Record<string, string>): Receipt {
  return readWhatsappCloudAnswer(jsonAnswer(status, { error }, headers), plainReading);
}

/** `retryable message`, `permanent instance`, `unknown` and so on. */
function classOf(receipt: Receipt): string {
  if (receipt.outcome !== "rejected") return receipt.outcome;
  return `${receipt.retryable ? "retryable" : "permanent"} ${receipt.scope}`;
}

const permissions = Array.from({ length: 100 }, (_, position) => 200 + position);

const classesByCode: Record<string, readonly number[]> = {
  "permanent instance": [
    ...[0, 190, 3, 10, 131005, 131031, 368, 131042, 131045, 133010, 33, 131037],
    ...permissions,
  ],
  "retryable instance": [4, 80007, 130429, 131048, 2, 131016, 133004, 131057],
  "retryable recipient": [131056],
  "unknown": [1, 131000],
  "permanent message": [
    ...[131047, 131026, 131049, 131050, 130472, 130497],
    ...[131008, 131009, 100, 131021, 131051, 131052, 131053],
    ...[132000, 132012, 132001, 132005, 132007, 132015, 132016, 132018, 132999],
  ],
};

Deno.test("Cloud API: every listed error code has its class, whatever the HTTP status says", () => {
  for (const [expected, codes] of Object.entries(classesByCode)) {
    for (const code of codes) {
      for (const status of [200, 400, 401, 403, 404, 429, 500, 503]) {
        const receipt = readError(status, { message: "words", code });
        assertEquals(classOf(receipt), expected, `code ${code} with HTTP ${status}`);
        if (receipt.outcome === "rejected") assertEquals(receipt.code, String(code));
        if (receipt.outcome === "unknown") assertEquals(receipt.reason, String(code));
      }
    }
  }
});

Deno.test("Cloud API: a code of the template, the account or the contact says what it means", () => {
  const meaningOf = (code: number): unknown => {
    const receipt = readError(400, { message: "words", code });
    return receipt.outcome === "rejected" ? receipt.meaning : receipt.outcome;
  };
  for (const code of [132000, 132001, 132007, 132012, 132015, 132016, 132068, 131063]) {
    assertEquals(meaningOf(code), "template_refused", `${code}`);
  }
  for (const code of [33, 368, 131031, 131037, 131042, 131045, 133010]) {
    assertEquals(meaningOf(code), "account_restricted", `${code}`);
  }
  assertEquals(meaningOf(131047), "outside_conversation_window");
  assertEquals(meaningOf(131050), "contact_opted_out");
  assertEquals(meaningOf(131062), "recipient_needs_phone");
  for (const code of [190, 131026, 131049, 132005, 132018, 133004, 999_999]) {
    assertEquals(meaningOf(code), undefined, `${code}`);
  }
});

Deno.test("Cloud API: an unknown object id is the instance's fault, another bad parameter is not", () => {
  assertEquals(
    classOf(readError(400, { message: "m", code: 100, error_subcode: 33 })),
    "permanent instance",
  );
  assertEquals(
    classOf(readError(400, { message: "m", code: 100, error_subcode: 34 })),
    "permanent message",
  );
});

Deno.test("Cloud API: an unlisted code is classified by HTTP status, and kept", () => {
  const expected: [number, string][] = [
    [200, "unknown"],
    [302, "permanent instance"],
    [400, "permanent message"],
    [401, "permanent instance"],
    [429, "retryable instance"],
    [500, "unknown"],
    [503, "retryable instance"],
  ];
  for (const [status, name] of expected) {
    assertEquals(classOf(readError(status, { message: "m", code: 999_999 })), name, `${status}`);
  }
  assertEquals(readError(400, { message: "m", code: 999_999 }), {
    outcome: "rejected",
    code: "999999",
    message: "m",
    retryable: false,
    scope: "message",
  });
});

Deno.test("Cloud API: the receipt holds Meta's message, its details and the trace id", () => {
  const error = {
    message: "(#132000) Number of parameters does not match",
    type: "OAuthException",
    code: 132000,
    error_data: {
      messaging_product: "whatsapp",
      details: "body: number of localizable_params (1)",
    },
    fbtrace_id: "AbC",
  };
  assertEquals(readError(400, error), {
    outcome: "rejected",
    code: "132000",
    message: "Number of parameters does not match: " +
      "body: number of localizable_params (1) (fbtrace_id AbC)",
    retryable: false,
    scope: "message",
    meaning: "template_refused",
  });
});

Deno.test("Cloud API: Meta's texts are told once and without the code in front", () => {
  const text = "(#131026) Message undeliverable";
  for (
    const details of [text, "Message undeliverable", "(#131026) (#131026) Message undeliverable"]
  ) {
    const receipt = readError(400, { message: text, code: 131026, error_data: { details } });
    assert(receipt.outcome === "rejected");
    assertEquals([receipt.code, receipt.message], ["131026", "Message undeliverable"]);
  }
});

Deno.test("Cloud API: a temporary refusal carries a wait, a permanent one does not", () => {
  assertEquals(readError(429, { message: "m", code: 130429 }, { "retry-after": "7" }), {
    outcome: "rejected",
    code: "130429",
    message: "m",
    retryable: true,
    retryAfterMs: 7_000,
    scope: "instance",
    meaning: "too_fast",
  });
  const usage = JSON.stringify({ "1": [{ estimated_time_to_regain_access: 3 }] });
  const limited = readError(
    400,
    { message: "m", code: 80007 },
    { "x-business-use-case-usage": usage },
  );
  assertEquals(limited.outcome === "rejected" && limited.retryAfterMs, 180_000);
  assertEquals(
    "retryAfterMs" in readError(400, { message: "m", code: 131047 }, { "retry-after": "7" }),
    false,
  );
});

Deno.test("Cloud API: an acceptance holds the message id and the address WhatsApp knows", () => {
  const answer = {
    messaging_product: "whatsapp",
    contacts: [{ input: "5511987654321", wa_id: "551187654321" }],
    messages: [{ id: "wamid.HBgL", message_status: "accepted" }],
  };
  assertEquals(readWhatsappCloudAnswer(jsonAnswer(200, answer), plainReading), {
    outcome: "accepted",
    providerMessageId: "wamid.HBgL",
    waId: "551187654321",
  });
  for (const contacts of [undefined, [], [{ input: "1" }], [{ wa_id: "BR.abc" }]]) {
    assertEquals(
      readWhatsappCloudAnswer(jsonAnswer(200, { ...answer, contacts }), plainReading),
      { outcome: "accepted", providerMessageId: "wamid.HBgL" },
    );
  }
});

Deno.test("Cloud API: success without a message id is unknown", () => {
  const unknown = { outcome: "unknown", reason: "answer_without_message_id" } as const;
  for (const json of [{}, { messages: [] }, { messages: [{ id: " " }] }, [], null, "ok", 1]) {
    assertEquals(readWhatsappCloudAnswer(jsonAnswer(200, json), plainReading), unknown);
  }
  assertEquals(readWhatsappCloudAnswer(textAnswer(200, "<html>"), plainReading), unknown);
  assertEquals(readWhatsappCloudAnswer(textAnswer(200, ""), plainReading), unknown);
});

Deno.test("Cloud API: a refusal without an error object is classified by HTTP status", () => {
  assertEquals(readWhatsappCloudAnswer(textAnswer(404, "<html>no</html>"), plainReading), {
    outcome: "rejected",
    code: "http_404",
    message: "The provider answered with HTTP status 404.",
    retryable: false,
    scope: "message",
  });
  for (const error of [undefined, null, "no", [], { code: "131047" }]) {
    assertEquals(classOf(readError(500, error)), "unknown");
  }
});

Deno.test("Cloud API: Direct Send, marketing and blocking have their codes, none about the instance", () => {
  const read = (code: number): unknown => {
    const receipt = readWhatsappCloudAnswer(
      jsonAnswer(500, { error: { code, message: "no" } }),
      plainReading,
    );
    return receipt.outcome === "rejected" ? [receipt.retryable, receipt.scope] : receipt.outcome;
  };
  for (const code of [131063, 131064, 139200, 139100, 139101]) {
    assertEquals(read(code), [false, "message"], `${code}`);
  }
  for (const code of [139102, 139103]) assertEquals(read(code), [true, "recipient"], `${code}`);
});

Deno.test("Cloud API: an acceptance says whether the message is kept back for now", () => {
  const statusOf = (message_status: unknown): unknown => {
    const receipt = readWhatsappCloudAnswer(
      jsonAnswer(200, { messages: [{ id: "wamid.1", message_status }] }),
      plainReading,
    );
    return receipt.outcome === "accepted" ? receipt.channelStatus : receipt.outcome;
  };
  for (const word of ["held_for_quality_assessment", "paused"]) {
    assertEquals(statusOf(word), word);
  }
  for (const word of ["accepted", undefined, "constructor", 7]) {
    assertEquals(statusOf(word), undefined);
  }
});
