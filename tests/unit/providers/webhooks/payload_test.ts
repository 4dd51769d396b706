import { readProviderEvents } from "../../../support/providers/provider_events.ts";
import { parseWebhookPayload } from "../../../../shared/providers/webhooks/payload.ts";
import { assertEquals } from "../../../support/assert.ts";

Deno.test("a payload is the value of its JSON, and undefined if it is not JSON", () => {
  const text = '{"a":[1,1.5,-2,true,null,"x"],"b":{"c":1749416383000},"d":1e400}';
  assertEquals(parseWebhookPayload(text), JSON.parse(text));
  for (const broken of ["", "{", "undefined", "{'a':1}", '{"a":1}x']) {
    assertEquals(parseWebhookPayload(broken), undefined);
  }
});

Deno.test("whole numbers beyond 2^53 keep their digits, all others stay numbers", () => {
  const text = '{"id": 12345678901234567890, "n":9007199254740991, "x":1.2345678901234567}';
  assertEquals(parseWebhookPayload(text), {
    id: "12345678901234567890",
    n: 9007199254740991,
    x: 1.2345678901234567,
  });
});

Deno.test("a template with a long id is found by its exact id", () => {
  const payload = parseWebhookPayload(
    '{"entry":[{"changes":[{"field":"message_template_status_update",' +
      '"value":{"event":"APPROVED","message_template_id":9007199254740993}}]}]}',
  );
  assertEquals(readProviderEvents("whatsapp_cloud", payload), [{
    kind: "template_status",
    providerTemplateId: "9007199254740993",
    status: "APPROVED",
  }]);
});

Deno.test("a payload nested a hundred thousand deep is read, with long numbers and without", () => {
  for (const core of ["1", '{"a":12345678901234567890}']) {
    const depth = 100_000;
    const payload = parseWebhookPayload(`${"[".repeat(depth)}${core}${"]".repeat(depth)}`);
    assertEquals(Array.isArray(payload), true);
  }
});
