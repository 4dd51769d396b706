/**
 * A token opens its own instance alone, in every operation and by every reference: what belongs to
 * another tenant is answered like what does not exist. Generated from the operations.
 */

import {
  demoInstanceId,
  demoInstanceRef,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  authorize,
  type ContractStack,
  listOperationRows,
  type OperationRow,
  startContractStack,
  toExampleRequest,
} from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";

const rows = (await listOperationRows()).filter(({ operation }) =>
  operation.access === "clientToken"
);
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

const neighbourhoods = [
  ...["another workspace", "the same workspace", "a workspace of one people scope"] as const,
];

for (const neighbourhood of neighbourhoods) {
  Deno.test(`no operation tells a tenant of ${neighbourhood} anything of another's records`, async () => {
    await using contract = await startContractStack();
    const { admin, provider } = contract.stack;
    await createDemoRows(admin, provider.baseUrl);
    const isSame = neighbourhood !== "another workspace";
    const stranger = await contract.stack.createTenant(
      isSame ? { workspaceId: demoWorkspaceId } : {},
    );
    if (neighbourhood === "a workspace of one people scope") {
      await admin`update messaging.workspaces set people_scope = 'workspace'`;
      await admin`update messaging.instances set people_scope = 'workspace'`;
    }
    const before = await readVictim(contract);
    let tried = 0;
    for (const row of rows) {
      for (const example of row.operation.examples) {
        const theirs = aim(toExampleRequest(row, example, {}), row, stranger);
        // Operators, departments and templates of the workspace are the neighbour's as well.
        if (isSame && /"(?:assignTo|templateId)"/.test(theirs.body ?? "")) continue;
        const nobodys = replaceIds(theirs);
        if (JSON.stringify(nobodys) === JSON.stringify(theirs)) continue;
        const [actual, expected] = [
          await call(contract, row, theirs, stranger.token),
          await call(contract, row, nobodys, stranger.token),
        ];
        assertEquals(actual, expected, `${row.name} ${JSON.stringify(theirs)}`);
        assert(actual.status >= 400, `${row.name}: ${JSON.stringify(actual)}`);
        tried += 1;
      }
    }
    assert(tried >= (isSame ? 3 : 6), `only ${tried} calls`);
    assertEquals(await readVictim(contract), before);
    assertEquals(provider.requests.length, 0);
  });
}

Deno.test("a cursor of another tenant's queue is refused", async () => {
  await using contract = await startContractStack();
  const { stack } = contract;
  const [owner, stranger] = [await stack.createTenant(), await stack.createTenant()];
  for (let index = 0; index < 3; index++) {
    await stack.send(owner, {
      phone: `551198765432${index}`,
      messageType: "text",
      message: "Olá",
      queued: true,
      delayMessage: 600,
    });
  }
  const page = await stack.messages(owner, "GET", `/queue?instanceId=${owner.instanceId}&limit=1`);
  const path = `/queue?instanceId=${stranger.instanceId}&cursor=${page.body.nextCursor}`;
  const answer = await stack.messages(stranger, "GET", path);
  assertEquals([answer.status, answer.body.error, answer.body.issues[0].path], [
    ...[400, "invalid_request", "cursor"],
  ]);
});

interface AimedRequest {
  readonly path: string;
  readonly body: string | undefined;
}

/** The example as the stranger would send it: with its own instance, and the owner's records. */
function aim(
  { path, init }: { readonly path: string; readonly init: RequestInit },
  { operation }: OperationRow,
  stranger: Tenant,
): AimedRequest {
  const own = (text: string): string =>
    text.replaceAll(demoInstanceId, stranger.instanceId)
      .replaceAll(`"instanceId":"${demoInstanceRef}"`, `"instanceId":"${stranger.instanceId}"`)
      .replaceAll(`instanceId=${demoInstanceRef}`, `instanceId=${stranger.instanceId}`);
  const body = typeof init.body === "string" ? own(init.body) : undefined;
  return { path: own(path), body: operation.body === undefined ? undefined : body };
}

/** The same request about records that nobody has; the stranger's own instance stays. */
function replaceIds({ path, body }: AimedRequest): AimedRequest {
  const known = new Map<string, string>();
  const replace = (text: string): string =>
    text.replaceAll(uuid, (id) => {
      if (!/^(?:d0000000|e1a6b7c8)/.test(id)) return id;
      const other = known.get(id) ?? crypto.randomUUID();
      known.set(id, other);
      return other;
    }).replaceAll(/"assignTo":"[^"]*@[^"]*"/g, '"assignTo":"nobody@example.com"');
  return { path: replace(path), body: body === undefined ? undefined : replace(body) };
}

async function call(
  contract: ContractStack,
  { slug, operation }: OperationRow,
  { path, body }: AimedRequest,
  token: string,
): Promise<{ status: number; body: unknown }> {
  const response = await contract.request(slug, path, {
    method: operation.method,
    headers: { "Content-Type": "application/json", ...authorize(operation, token) },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.json() };
}

/** Everything of the owner's that a call could have touched, as one text. */
async function readVictim({ stack }: ContractStack): Promise<string> {
  const tables = ["messages", "message_queue", "conversations", "contacts", "agent_sessions"];
  const texts = await Promise.all(tables.map(async (table) => {
    const rows = await stack.admin`
      select t::text as row from messaging.${stack.admin(table)} t
      where t.instance_id = ${demoInstanceId} order by 1`.catch(() => []);
    return rows.map(({ row }) => row).join("\n");
  }));
  return texts.join("\n");
}
