/** A parameter that an operation does not know is never taken in silence. Generated from the operations. */

import { assert, assertEquals } from "../../support/assert.ts";
import {
  authorize,
  listOperationRows,
  type OperationRow,
  startContractStack,
  toExamplePath,
  toExampleRequest,
} from "./contract_stack.ts";
import { demoTarget, startService } from "./service.ts";

const rows = await listOperationRows();
/** The operations of the specification, section 4, by their ids. */
const specified: ReadonlySet<string> = new Set([
  ...["assignConversation", "setConversationStatus", "addInternalNote", "readMessageHistory"],
  ...["createContact", "updateContact", "changeContactTags", "sendMessage", "processAiAgent"],
  ...["sanitizePhoneNumber", "sendTemplateMessage"],
]);
/** Calls that somebody else makes, at an address that this service gave. */
const calledByOthers = ["provider-webhook", "followMediaLink", "getConnectPage"];

const isOfOthers = ({ slug, operation }: OperationRow): boolean =>
  calledByOthers.includes(slug) || calledByOthers.includes(operation.operationId);

Deno.test("an unknown query parameter is 400 in every operation beyond the specification, and changes nothing", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  let tried = 0;
  for (const row of rows) {
    const { operation } = row;
    if (specified.has(operation.operationId) || isOfOthers(row)) continue;
    const headers = authorize(operation, tenant.token);
    const { path, init } = toExampleRequest(row, operation.examples[0], headers);
    const url = `${path}${path.includes("?") ? "&" : "?"}dryRum=true`;
    const response = await contract.request(row.slug, url, init);
    const { error, issues } = await response.json();
    assertEquals([response.status, error], [400, "invalid_request"], row.name);
    const issue = issues.find(({ path }: { path: string }) => path === "dryRum");
    assert(issue?.message.startsWith("is not a parameter of this call"), row.name);
    for (const name of Object.keys(operation.query?.shape ?? {})) {
      assert(issue.message.includes(name), `${row.name} does not name ${name}`);
    }
    tried += 1;
  }
  assert(tried > 60, `only ${tried} operations were tried`);
});

Deno.test("every operation of the specification names an unknown query parameter in ignoredFields", async () => {
  await using service = await startService();
  const { contract } = service;
  const own = rows.filter(({ operation }) => specified.has(operation.operationId));
  assertEquals(own.length, specified.size);
  for (const row of own) {
    const headers = authorize(row.operation, service.token);
    const { path, init } = toExampleRequest(row, row.operation.examples[0], headers);
    const url = `${path}${path.includes("?") ? "&" : "?"}fromMee=true`;
    const response = await contract.request(row.slug, url, init);
    const { ignoredFields } = await response.json();
    assertEquals([response.status, ignoredFields], [200, ["fromMee"]], row.name);
  }
});

Deno.test("unknown parameters and unknown fields of a body are named together", async () => {
  await using service = await startService();
  const { token, contract } = service;
  const response = await contract.request("contacts-api", "/contacts-api/create?tag=vip", {
    method: "POST",
    headers: { "X-Client-Token": token, "Content-Type": "application/json" },
    body: JSON.stringify({ ...demoTarget, nickname: "Zé" }),
  });
  assertEquals((await response.json()).ignoredFields, ["tag", "nickname"]);
});

Deno.test("an unknown parameter is refused together with the faults of the known ones", async () => {
  await using service = await startService();
  const { body } = await service.call("GET", "/functions/v1/messages-api/messages", {
    ...{ limit: 0, status: "gone", cardid: "order-1" },
  });
  const paths = body.issues.map(({ path }: { path: string }) => path);
  assertEquals(paths.toSorted(), ["cardid", "limit", "status"]);
});

Deno.test("a phone in a query that takes none is an unknown parameter, not a wrong phone", async () => {
  await using service = await startService();
  const { phone } = demoTarget;
  const { status, body } = await service.call("GET", "/functions/v1/messages-api/queue", { phone });
  assertEquals([status, body.error, body.issues[0].path], [400, "invalid_request", "phone"]);
  const wrong = await service.call("GET", "/functions/v1/messages-api/messages", {
    ...{ phone: "+55", cardid: "order-1" },
  });
  assertEquals([wrong.status, wrong.body.error], [400, "invalid_phone"]);
});

Deno.test("every documented query parameter is known to its operation", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  for (const { slug, operation, name } of rows) {
    for (const parameter of Object.keys(operation.query?.shape ?? {})) {
      const path = `${toExamplePath(slug, operation)}?${parameter}=`;
      const response = await contract.request(slug, path, {
        method: operation.method,
        headers: authorize(operation, tenant.token),
      });
      const text = await response.text();
      assert(!text.includes("is not a parameter"), `${name} refuses ${parameter}: ${text}`);
    }
  }
});

Deno.test("the platform's own parameter of a call for one region is not the caller's", async () => {
  await using service = await startService();
  const { status, body } = await service.call("GET", "/functions/v1/messages-api/messages", {
    forceFunctionRegion: "sa-east-1",
  });
  assertEquals([status, body.success], [200, true]);
});

Deno.test("instanceId is optional in every operation of a token beyond the specification", () => {
  const demanding = rows.filter(({ operation: { access, operationId, body, query } }) =>
    access === "clientToken" && !specified.has(operationId) &&
    [body, query].some((schema) =>
      schema?.shape["instanceId"]?.safeParse(undefined).success === false
    )
  );
  assertEquals(demanding.map(({ name }) => name), []);
});
