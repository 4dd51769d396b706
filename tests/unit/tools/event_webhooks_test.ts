import { eventTypes } from "../../../shared/model/event_types.ts";
import { describeWebhooks } from "../../../supabase/tools/openapi/event_webhooks.ts";
import { assert, assertEquals } from "../../support/assert.ts";

Deno.test("the API document describes the webhook call of every type of event, with its data", () => {
  const { webhooks, schemas } = describeWebhooks();
  assertEquals(Object.keys(webhooks), [...eventTypes]);
  const text = JSON.stringify(webhooks);
  for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
    assert(name in schemas, `${name} is not among the components`);
  }
  assertEquals(new Set(text.match(/"operationId":"\w+"/g)).size, eventTypes.length);
});
