import { createMetricsApp } from "../../../functions/metrics/app.ts";
import { metricFamilies } from "../../../functions/metrics/families.ts";
import { sampleNames } from "../../../functions/metrics/exposition.ts";
import { outboxKinds } from "../../../shared/model/outbox_kinds.ts";
import { assert, assertEquals, assertFalse } from "../../support/assert.ts";
import { createForeignRows } from "../../support/fixtures/foreign_rows.ts";
import { createSmallTenant } from "../../support/fixtures/tenant_requests.ts";
import { secretKey, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { scrape } from "./metrics_client.ts";
import { administer } from "../../support/stack/admin_calls.ts";
import { callApp } from "../../support/stack/app_calls.ts";

Deno.test("metrics answers Prometheus' text format 0.0.4, with every metric it names and no other", async () => {
  await using stack = await startMessagingStack();
  await createSmallTenant(stack.admin);
  await stack.dispatch();
  const { response, families } = await scrape(stack);
  assertEquals(response.status, 200);
  assertEquals(
    response.headers.get("content-type"),
    "text/plain; version=0.0.4; charset=utf-8",
  );
  assert(response.headers.has("x-request-id"));
  assertEquals([...families.keys()], metricFamilies.map(({ name }) => name));
  const { samples } = await stack.database.rpc("read_metrics", {});
  const known = new Set(metricFamilies.flatMap(sampleNames));
  assertEquals(samples.filter(([name]) => !known.has(name)), []);
});

Deno.test("each kind of the outbox has its series, of what is pending, done and given up", async () => {
  await using stack = await startMessagingStack();
  const { workspaceId } = await stack.createTenant();
  for (const [place, kind] of outboxKinds.entries()) {
    await stack.admin`
      insert into messaging.outbox (workspace_id, kind, payload, status, settled_at)
      select ${workspaceId}, ${kind}, '{}', 'dead', now() from generate_series(0, ${place})`;
  }
  const { value } = await scrape(stack);
  for (const [place, kind] of outboxKinds.entries()) {
    const labels = { kind, status: "dead" };
    assertEquals(value("messaging_outbox_rows", labels), place + 1, kind);
    assertEquals(value("messaging_outbox_settled_total", labels), place + 1, kind);
    assertEquals(value("messaging_outbox_rows", { kind, status: "pending" }), 0, kind);
    assertEquals(value("messaging_outbox_settled_total", { kind, status: "done" }), 0, kind);
  }
});

Deno.test("an empty database has valid metrics, and so has one without any traffic", async () => {
  await using stack = await startMessagingStack();
  const empty = await scrape(stack);
  assertEquals(empty.value("messaging_oldest_due_seconds", { kind: "message" }), 0);
  assertEquals(empty.value("messaging_queue_entries_total"), 0);
  const { instanceId } = await stack.createTenant();
  const idle = await scrape(stack);
  assertEquals(idle.value("messaging_messages_sent_total", { provider: "zapi" }), 0);
  assertEquals(idle.value("messaging_instance_queue_messages", { instance_id: instanceId }), 0);
});

Deno.test("metrics opens with the project's secret key alone, and to no page in a browser", async () => {
  await using stack = await startMessagingStack();
  const { token } = await stack.createTenant();
  const app = createMetricsApp({ ...stack.services, secretKeys: { default: secretKey } });
  for (const headers of [{}, { apikey: "wrong" }, { "X-Client-Token": token }]) {
    const response = await callApp(app, "/metrics", { headers: headers as Record<string, string> });
    const body = await response.json();
    assertEquals([response.status, body.success, body.error], [401, false, "invalid_secret_key"]);
    assertEquals(response.headers.get("access-control-allow-origin"), null);
  }
  const headers = { apikey: secretKey };
  const posted = await callApp(app, "/metrics", { method: "POST", headers });
  assertEquals([posted.status, posted.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  await posted.body?.cancel();
});

Deno.test("5,000 instances and a backlog have under 2,000 series, and none is left out of the sums", async () => {
  await using stack = await startMessagingStack();
  await createForeignRows(stack.admin, 5_000);
  const { families, value } = await scrape(stack);
  const series = [...families.values()].reduce((sum, { samples }) => sum + samples.length, 0);
  assert(series < 2_000, `${series} series`);
  for (
    const [ofInstances, ofAll] of [
      ["messaging_instance_queue_messages", 5_000],
      ["messaging_instance_unconfirmed_messages", 5_000],
    ] as const
  ) {
    const samples = families.get(ofInstances)?.samples ?? [];
    assertEquals(samples.length, 101);
    assertEquals(samples.reduce((sum, sample) => sum + sample.value, 0), ofAll);
  }
  assertEquals(value("messaging_unconfirmed_messages", { provider: "zapi" }), 5_000);
  assertEquals(value("messaging_queue_messages", { provider: "zapi", state: "waiting" }), 5_000);
});

Deno.test("no label and no text of the metrics holds a phone, a name, a message or a secret", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ businessInstanceId: "Clinic of Dr. House" });
  await stack.send(tenant, {
    ...{ phone: "5511987654321", messageType: "text", message: "a private word", queued: true },
  });
  const { families, text } = await scrape(stack);
  const labels = new Map<string, Set<string>>();
  for (const { samples } of families.values()) {
    for (const sample of samples) {
      for (const [label, value] of Object.entries(sample.labels)) {
        labels.set(label, (labels.get(label) ?? new Set()).add(value));
      }
    }
  }
  assertEquals([...labels.keys()].sort(), [
    ...[
      "answer",
      "billing",
      "category",
      "deprecated",
      "event",
      "field",
      "holder",
      "instance_id",
      "kind",
      "le",
    ],
    ...["process", "provider", "state", "status", "table", "token_id"],
  ]);
  assertEquals([...labels.get("instance_id") ?? []], [tenant.instanceId]);
  for (const word of ["5511987654321", "551140001234", "private", "House", tenant.token]) {
    assertFalse(text.includes(word), word);
  }
});

Deno.test("a scrape within a fresh snapshot reads one row, and tells the snapshot's age", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await scrape(stack);
  await stack.admin`update messaging.metric_snapshots set fresh_until = now() + interval '1 hour'`;
  await stack.send(tenant, { phone: "5511987654321", messageType: "text", message: "x" });
  const cached = await scrape(stack, { isCached: true });
  assertEquals(cached.value("messaging_queue_entries_total"), 0);
  assert((cached.value("messaging_snapshot_age_seconds") ?? 0) > 0);
  const anew = await scrape(stack);
  assertEquals(anew.value("messaging_queue_entries_total"), 1);
});

Deno.test("what an operator holds is apart from what its provider refuses, and from what this service holds", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant();
  const body = { instanceId, reason: "manutenção" };
  const read = async (): Promise<unknown[]> => {
    const { value } = await scrape(stack);
    return ["messaging_instance_held", "messaging_instance_operator_hold"]
      .map((name) => value(name, { instance_id: instanceId }));
  };
  assertEquals(await read(), [0, 0]);
  await administer(stack, "POST", "/queue/hold", { body });
  assertEquals(await read(), [0, 1]);
  await administer(stack, "POST", "/queue/release", { body: { instanceId } });
  await stack.admin`
    update messaging.dispatch set hold_until = now() + interval '5 minutes',
      hold_error = '{"code": "190"}' where instance_id = ${instanceId}`;
  assertEquals(await read(), [1, 0]);
  await stack.admin`
    select messaging.set_operator_hold(array[${instanceId}::uuid], 'infinity', 'suspect')`;
  assertEquals(await read(), [1, 0]);
});
