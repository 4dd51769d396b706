import { errorDocsUrl } from "../../../shared/runtime/docs_address.ts";
import { contractDate } from "../../../shared/model/contract_date.ts";
import type { Database } from "../../../shared/database/database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import { listErrors } from "../../../shared/model/errors.ts";
import { countStoredRows } from "../../support/database/stored_rows.ts";
import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { secretKey } from "../../support/stack/messaging_stack.ts";
import { createToken, type Tenant } from "../../support/fixtures/tenant.ts";
import {
  authorize,
  type ContractStack,
  listOperationRows,
  type OperationRow,
  signExample,
  startContractStack,
  toExamplePath,
  toExampleRequest,
} from "./contract_stack.ts";
import { createEveryApp } from "./every_app.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const json = { "Content-Type": "application/json" };
const statusOf = new Map(listErrors().map(({ code, status }) => [code as string, status]));
const rows = await listOperationRows();
const bodyRows = rows.filter(({ operation }) => operation.body !== undefined);
const guardedRows = rows.filter(({ operation }) => operation.access !== "public");

interface Refusal {
  readonly success: boolean;
  readonly error: string;
  readonly message: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

/** What no page in a browser has business with (decisions, section 1). */
const closedToBrowsers = ["admin-api", "dispatch-queue", "metrics", "provider-webhook"];

/** Calls an operation and holds the refusal to the envelope (decisions, section 1). */
async function assertRefused(
  contract: ContractStack,
  row: OperationRow,
  init: RequestInit,
  error: string,
  path = toExamplePath(row.slug, row.operation),
): Promise<{ readonly response: Response; readonly refusal: Refusal }> {
  const response = await contract.request(row.slug, path, {
    method: row.operation.method,
    ...init,
  });
  const text = await response.text();
  const refusal: Refusal = JSON.parse(text);
  assertEquals([response.status, refusal.error], [statusOf.get(error), error], row.name);
  assertEquals(refusal.success, false, row.name);
  assert(refusal.message.length > 0, row.name);
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertMatch(response.headers.get("x-request-id") ?? "", /^[\w\-=]+$/);
  const allowedOrigin = closedToBrowsers.includes(row.slug) ? null : "*";
  assertEquals(response.headers.get("access-control-allow-origin"), allowedOrigin, row.name);
  assertFalse(/\bat \w+ \(|node_modules|\.ts:\d|postgres|select /i.test(text), text);
  return { response, refusal };
}

/** Runs the calls and makes sure that none of them has written anything. */
async function assertNothingStored(
  contract: ContractStack,
  run: () => Promise<void>,
): Promise<void> {
  const before = await countStoredRows(contract.stack.admin);
  await run();
  await contract.stack.finishBackground();
  assertEquals(await countStoredRows(contract.stack.admin), before);
  assertEquals(contract.stack.provider.requests.length, 0, "no provider was called");
  assertEquals(contract.stack.mail.requests.length, 0, "no e-mail was sent");
}

Deno.test("every guarded operation is 401 without its credential, with a wrong or a dead one, whatever the body", async () => {
  await using contract = await startContractStack();
  const { admin } = contract.stack;
  const tenant = await contract.stack.createTenant();
  const yesterday = new Date(Date.now() - 86_400_000);
  const expired = await createToken(admin, tenant.instanceId, { expiresAt: yesterday });
  const revoked = await createToken(admin, tenant.instanceId, { revokedAt: yesterday });
  const refused: Record<string, readonly (readonly [Record<string, string>, string])[]> = {
    clientToken: [
      [{}, "missing_client_token"],
      [{ "X-Client-Token": " " }, "missing_client_token"],
      [{ "X-Client-Token": "mia_unknown" }, "invalid_client_token"],
      [{ "X-Client-Token": secretKey }, "invalid_client_token"],
      [{ "X-Client-Token": expired.token }, "invalid_client_token"],
      [{ "X-Client-Token": revoked.token }, "invalid_client_token"],
      [{ apikey: secretKey }, "missing_client_token"],
    ],
    secretKey: [
      [{}, "invalid_secret_key"],
      [{ apikey: "sb_secret_of_another_project" }, "invalid_secret_key"],
      [{ apikey: `${secretKey}x` }, "invalid_secret_key"],
      [{ "X-Client-Token": tenant.token }, "invalid_secret_key"],
    ],
  };
  await assertNothingStored(contract, async () => {
    for (const row of guardedRows) {
      const hasBody = row.operation.method === "POST" || row.operation.method === "PATCH";
      for (const [headers, error] of refused[row.operation.access] ?? []) {
        for (const body of hasBody ? ["{", "{}"] : [undefined]) {
          const init = {
            headers: { ...json, ...headers },
            ...(body === undefined ? {} : { body }),
          };
          await assertRefused(contract, row, init, error);
        }
      }
    }
  });
  assert(guardedRows.length > 30);
});

Deno.test("every path below an operation's that is nobody's is 404, before any credential is asked for", async () => {
  await using contract = await startContractStack();
  for (const row of rows) {
    const path = `${toExamplePath(row.slug, row.operation)}/no/such/path/at/all`;
    await assertRefused(contract, row, {}, "not_found", path);
  }
  for (const slug of new Set(rows.map((row) => row.slug))) {
    const row = rows.find((candidate) => candidate.slug === slug);
    if (row !== undefined) {
      await assertRefused(contract, row, { method: "GET" }, "not_found", `/${slug}/no-such-path`);
    }
  }
});

Deno.test("every path answers a method that is not its own with 405 and all of its own in Allow", async () => {
  await using contract = await startContractStack();
  const ownMethods = ({ slug, operation }: OperationRow): string[] =>
    rows.filter((row) => row.slug === slug && row.operation.path === operation.path)
      .map((row) => row.operation.method);
  for (const row of rows) {
    const own = ownMethods(row);
    const allow = ["OPTIONS", ...own, ...(own.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (own.includes(method)) continue;
      const { response } = await assertRefused(contract, row, { method }, "method_not_allowed");
      assertEquals(response.headers.get("allow"), allow, `${method}, not ${row.name}`);
    }
  }
});

Deno.test("every body over its limit is 413, declared or streamed", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  const withBody = rows.filter(({ operation }) => operation.method === "POST");
  await assertNothingStored(contract, async () => {
    for (const row of withBody) {
      const bytes = new Uint8Array((row.operation.maxBodyKiB ?? 256) * 1024 + 1).fill(32);
      const headers = { ...json, ...authorize(row.operation, tenant.token) };
      const declared = { ...headers, "Content-Length": String(bytes.length) };
      await assertRefused(contract, row, { headers: declared, body: bytes }, "payload_too_large");
      // A delivery is not read without its instance's credential: see provider_webhook/bodies_test.ts.
      if (row.operation.body === undefined) continue;
      const streamed = { headers, body: new Blob([bytes]).stream() };
      await assertRefused(contract, row, streamed, "payload_too_large");
    }
  });
});

Deno.test("every operation with a JSON body is 415 for any other media type", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  await assertNothingStored(contract, async () => {
    for (const row of bodyRows) {
      const credential = authorize(row.operation, tenant.token);
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
        const headers = { ...credential, "Content-Type": type };
        await assertRefused(contract, row, { headers, body: "{}" }, "unsupported_media_type");
      }
      const untyped = { headers: credential, body: new TextEncoder().encode("{}") };
      await assertRefused(contract, row, untyped, "unsupported_media_type");
    }
  });
});

Deno.test("every operation with a JSON body is 400 for what is no JSON and for JSON that is no object", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  await assertNothingStored(contract, async () => {
    for (const row of bodyRows) {
      const headers = { ...json, ...authorize(row.operation, tenant.token) };
      const nothing = row.operation.isBodyOptional ? [] : [""];
      for (const body of [...nothing, "{", "{'a': 1}", "[]", "[{}]", "null", "5", '"text"']) {
        await assertRefused(contract, row, { headers, body }, "invalid_json");
      }
    }
  });
});

Deno.test("every operation with required fields names those that are missing, all at once", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  let tried = 0;
  await assertNothingStored(contract, async () => {
    for (const row of rows) {
      const schema = row.operation.body ?? row.operation.query;
      if (schema === undefined || row.operation.access === "public") continue;
      const required = Object.entries(schema.shape)
        .filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
      const [own] = row.operation.errors.filter((code) => / are required$/.test(code));
      const isPatch = row.operation.method === "PATCH" || row.operation.method === "DELETE";
      if (required.length === 0 || isPatch) continue;
      const headers = { ...json, ...authorize(row.operation, tenant.token) };
      const init = row.operation.body === undefined ? { headers } : { headers, body: "{}" };
      const { refusal } = await assertRefused(contract, row, init, own ?? "invalid_request");
      const named = new Set((refusal.issues ?? []).map(({ path }) => path));
      assertEquals(required.filter((name) => !named.has(name)), [], row.name);
      tried += 1;
    }
  });
  assert(tried > 12, `only ${tried} operations were tried`);
});

Deno.test("every operation of a client token hides an instance that the token does not open", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant();
  const other = await contract.stack.createTenant();
  // A message of another format names no instance: the token alone does.
  const naming = rows.filter(({ operation: { access, foreignBody } }) =>
    access === "clientToken" && foreignBody === undefined
  );
  for (const row of naming) {
    for (const foreign of listReferences(other)) {
      const { init, path } = withInstance(row, foreign, authorize(row.operation, tenant.token));
      await assertRefused(contract, row, init, expectedForForeign(row), path);
    }
  }
});

function listReferences(tenant: Tenant): string[] {
  return [tenant.instanceId, tenant.embedKey, tenant.businessInstanceId ?? "", crypto.randomUUID()];
}

/** send-template-message looks for its template first (decisions, section 8). */
function expectedForForeign({ slug }: OperationRow): string {
  return slug === "send-template-message" ? "Template not found" : "Instance not found";
}

/** The operation's first example, for another instance. */
function withInstance(
  { slug, operation }: OperationRow,
  instanceId: string,
  credential: Record<string, string>,
): { readonly init: RequestInit; readonly path: string } {
  const members = { ...operation.examples[0]?.request, instanceId };
  const path = toExamplePath(slug, operation);
  const headers = { ...json, ...credential };
  if (operation.body !== undefined || operation.foreignBody !== undefined) {
    return { init: { headers, body: JSON.stringify(members) }, path };
  }
  const query = Object.entries(members).map(([name, value]) => [name, String(value)]);
  return { init: { headers }, path: `${path}?${new URLSearchParams(query)}` };
}

/** What supabase-js sends beside the headers of ours. */
const headersOfBrowsers = [
  ...["x-client-token", "content-type", "idempotency-key", "x-request-id"],
  ...["apikey", "authorization", "x-client-info"],
];

Deno.test("a preflight allows a page's call and supabase-js's headers, but of no function with a secret key or a webhook", async () => {
  await using contract = await startContractStack();
  for (const { slug, operation, name } of rows) {
    const response = await contract.request(slug, toExamplePath(slug, operation), {
      method: "OPTIONS",
      headers: {
        "Origin": "https://crm.example.com",
        "Access-Control-Request-Method": operation.method,
        "Access-Control-Request-Headers": headersOfBrowsers.join(","),
      },
    });
    assertEquals([response.status, await response.text()], [204, ""], name);
    if (closedToBrowsers.includes(slug)) {
      assertEquals(corsHeaders(response), [], name);
      continue;
    }
    assertEquals(response.headers.get("access-control-allow-origin"), "*", name);
    const methods = response.headers.get("access-control-allow-methods")?.split(",") ?? [];
    assert(methods.includes(operation.method), name);
    const headers = response.headers.get("access-control-allow-headers")?.toLowerCase().split(",");
    assertEquals(headers?.toSorted(), headersOfBrowsers.toSorted(), name);
  }
});

Deno.test("no answer of admin-api, dispatch-queue or provider-webhook lets a page of another origin read it", async () => {
  await using contract = await startContractStack();
  for (const { slug, operation, name } of rows) {
    const response = await contract.request(slug, toExamplePath(slug, operation), {
      method: operation.method,
      headers: { "Origin": "https://crm.example.com" },
    });
    await response.body?.cancel();
    assertEquals(corsHeaders(response).length === 0, closedToBrowsers.includes(slug), name);
  }
});

function corsHeaders(response: Response): string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
}

Deno.test("every answer names the contract's date, and carries X-Request-Id: the caller's own where it is fit, else a new one", async () => {
  await using contract = await startContractStack();
  for (const { slug, operation, name } of rows) {
    const ask = async (headers: Record<string, string>): Promise<string> => {
      const init = { method: operation.method, headers };
      const response = await contract.request(slug, toExamplePath(slug, operation), init);
      await response.body?.cancel();
      assertEquals(response.headers.get("x-api-version"), contractDate, name);
      return response.headers.get("x-request-id") ?? "";
    };
    assertEquals(await ask({ "X-Request-Id": "crm-20261123-0001" }), "crm-20261123-0001", name);
    const made = await ask({});
    assertMatch(made, /^[0-9a-f-]{36}$/, name);
    assertFalse(made === await ask({}), name);
    assertMatch(await ask({ "X-Request-Id": "no such id" }), /^[0-9a-f-]{36}$/, name);
    assertMatch(await ask({ "X-Request-Id": "x".repeat(129) }), /^[0-9a-f-]{36}$/, name);
  }
});

Deno.test("every operation that takes an Idempotency-Key refuses an invalid one", async () => {
  await using contract = await startContractStack();
  const tenant = await contract.stack.createTenant({ businessInstanceId: "demo" });
  await assertNothingStored(contract, async () => {
    for (const row of rows.filter(({ operation }) => operation.isIdempotent)) {
      const key = { "Idempotency-Key": "k".repeat(256) };
      const headers = { ...json, ...authorize(row.operation, tenant.token), ...key };
      const members = row.operation.examples[0]?.request ?? {};
      const init = row.operation.body === undefined
        ? { headers }
        : { headers, body: JSON.stringify(members) };
      const { refusal } = await assertRefused(contract, row, init, "invalid_request");
      assertEquals(refusal.issues?.map(({ path }) => path), ["Idempotency-Key"], row.name);
    }
  });
});

Deno.test("a database that cannot be reached is 503 with Retry-After for every operation of a client token", async () => {
  await using contract = await startContractStack();
  const { services } = contract.stack;
  await using cleanup = new AsyncDisposableStack();
  const unreachable = openDirectDatabase("postgres://nobody@127.0.0.1:9/none");
  cleanup.defer(() => unreachable.close());
  const apps = await createEveryApp({ ...services, database: unreachable });
  for (const row of rows.filter(({ operation }) => operation.access === "clientToken")) {
    const { init, path } = withInstance(row, "demo", authorize(row.operation, "mia_any"));
    const response = await callApp(apps.get(row.slug), path, {
      method: row.operation.method,
      ...init,
    });
    const refusal = await response.json();
    assertEquals([response.status, refusal.error], [503, "service_unavailable"], row.name);
    assertMatch(response.headers.get("retry-after") ?? "", /^\d+$/);
  }
});

Deno.test("a defect is 500 with a fixed text and the request id, for every operation with a database", async () => {
  await using contract = await startContractStack();
  const secret = "select * from contacts where phone = '5511988887777'";
  const broken: Database = {
    rpc: () => Promise.reject(new TypeError(secret)),
    close: () => Promise.resolve(),
  };
  const apps = await createEveryApp({ ...contract.stack.services, database: broken });
  // The dispatcher survives a defect, connect refuses a page that it has not opened; the others have no database.
  const independent = ["dispatch-queue", "sanitize-phone-number", "api-docs", "connect"];
  let tried = 0;
  for (const row of rows) {
    if (independent.includes(row.slug)) continue;
    const headers = { "X-Request-Id": "crm-1", ...authorize(row.operation, "mia_any") };
    const { path, init } = toExampleRequest(row, row.operation.examples[0], headers);
    const response = await callApp(apps.get(row.slug), signExample(contract, row, path), init);
    assertEquals(
      [response.status, await response.json()],
      [500, {
        success: false,
        error: "internal_error",
        message: "Something went wrong on our side; give us the request id.",
        docs: errorDocsUrl("internal_error"),
        requestId: "crm-1",
      }],
      row.name,
    );
    tried += 1;
  }
  assert(tried > 40, `only ${tried} operations were tried`);
  const logged = JSON.stringify(contract.stack.logLines);
  assertFalse(logged.includes("5511988887777"), "no phone number in the log");
});
