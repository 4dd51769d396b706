import { assert, assertEquals } from "../../support/assert.ts";
import { type AdminClient, type Body, createAdminClient, createWorkspace } from "./admin_client.ts";

/** An assignment e-mail in a state; its content is what must not be seen. */
async function addEmail(client: AdminClient, workspaceId: string, status: string): Promise<string> {
  const payload = {
    instanceId: "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11",
    operatorEmail: "ana@clinica.example",
    contactName: "Paciente",
    contactPhone: "5511988887777",
  };
  const [row] = await client.database.admin`
    insert into messaging.outbox (workspace_id, kind, payload, status, attempts, last_error, settled_at, run_at)
    values (${workspaceId}, 'assignment_email', ${client.database.admin.json(payload)}, ${status},
      12, 'email_422', ${status === "pending" ? null : new Date()}, now() + interval '1 day')
    returning id`;
  return row?.["id"];
}

Deno.test("dead e-mails are seen by workspace, without whom and what they are about", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const deadId = await addEmail(client, workspaceId, "dead");
  await addEmail(client, workspaceId, "done");
  await addEmail(client, await createWorkspace(client), "dead");
  const path = `/outbox?workspaceId=${workspaceId}&status=dead`;
  const { status, body, text } = await client.call("GET", path);
  assertEquals([status, body.nextCursor, body.items.length], [200, null, 1]);
  const { runAt: _, createdAt: __, settledAt: ___, ...item } = body.items[0];
  assertEquals(item, {
    outboxId: deadId,
    workspaceId,
    instanceId: "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11",
    kind: "assignment_email",
    status: "dead",
    attempts: 12,
    lastError: "email_422",
  });
  assert(!/clinica|Paciente|5511988887777/.test(text));
  const all = await client.call("GET", "/outbox");
  assertEquals(all.body.items.length, 3);
  const unknown = await client.call("GET", "/outbox?status=lost");
  assertEquals([unknown.status, unknown.body.error], [400, "invalid_request"]);
});

Deno.test("a dead e-mail is given all its attempts again and can be claimed at once", async () => {
  await using client = await createAdminClient();
  const outboxId = await addEmail(client, await createWorkspace(client), "dead");
  const claim = (): Promise<Body> =>
    client.rpc("claim_outbox", {
      kinds: ["assignment_email"],
      maxRows: 10,
      leaseSeconds: 60,
    });
  assertEquals((await claim()).rows, []);
  const headers = { "idempotency-key": "again" };
  const retried = await client.call("POST", `/outbox/${outboxId}/retry`, { headers });
  assertEquals([retried.status, retried.body.status, retried.body.attempts], [200, "pending", 0]);
  assertEquals(retried.body.settledAt, null);
  const { rows } = await claim();
  assertEquals(rows.map((row: Body) => row.outboxId), [outboxId]);

  const replayed = await client.call("POST", `/outbox/${outboxId}/retry`, { headers });
  assertEquals(replayed.body, retried.body);
  assertEquals(replayed.headers.get("idempotent-replayed"), "true");
});

Deno.test("retrying what is done or under way changes nothing", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  for (const state of ["done", "pending"]) {
    const outboxId = await addEmail(client, workspaceId, state);
    const read = (): Promise<Body> =>
      client.database.admin`
      select * from messaging.outbox where id = ${outboxId}`;
    const before = JSON.stringify(await read());
    const answer = await client.call("POST", `/outbox/${outboxId}/retry`);
    assertEquals([answer.status, answer.body.status], [200, state]);
    assertEquals(JSON.stringify(await read()), before);
  }
});
