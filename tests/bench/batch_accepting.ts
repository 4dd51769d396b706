import type { Hono } from "hono";
import { createBatchesApiApp } from "../../functions/batches-api/app.ts";
import { createSendMessageApp } from "../../functions/send-message/app.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { createLinkLoader } from "../../shared/media/open_links.ts";
import type { MediaStorage } from "../../shared/media/storage.ts";
import { registry } from "../../shared/providers/registry.ts";
import {
  createTenant,
  type Tenant,
  testCredentialsKey,
  testVault,
} from "../support/fixtures/tenant.ts";
import type { BenchContext } from "./bench.ts";
import { compareClaims, prepareClaims } from "./batch_claims.ts";
import { measureMs } from "./load.ts";

const perCall = 1_000;
/** Single calls that stand for as many people as a batch has: each costs the same. */
const singleCalls = 200;

/**
 * A batch of many people, against one call for each of them; and what claims cost beside it. Thousands of
 * other instances' messages wait meanwhile.
 */
export async function measureAccepting(context: BenchContext): Promise<void> {
  const { server, sizes, report } = context;
  await using bench = await server.createDatabase();
  await using claims = await prepareClaims(server, bench);
  const database = await connectDatabase(
    { kind: "direct", databaseUrl: bench.url, promotion: "hold" },
    testCredentialsKey,
  );
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => database.close());
  const services = {
    database,
    openProvider: createProviderOpener(testVault, () => Promise.resolve(registry)),
    vault: testVault,
    allowsPrivateHosts: false,
    runAfterResponse: () => {},
    providerTimeoutMs: 20_000,
    files: {
      loadLinks: createLinkLoader({
        credentialsKeys: testCredentialsKey,
        functionsUrl: "http://127.0.0.1:9",
      }),
      storage: noFiles,
    },
    log: { info: () => {}, error: () => {} },
  };
  const batches = createBatchesApiApp(services);
  const sends = createSendMessageApp(services);
  const tenant = await createTenant(bench.admin, { baseUrl: "http://127.0.0.1:9" });
  await bench.admin`update messaging.instances set requests_per_minute = null`;
  const people = sizes.recipients;

  const singleMs = await measureMs(async () => {
    for (let number = 0; number < singleCalls; number++) {
      await post(sends, tenant, "/send-message", {
        ...{ instanceId: tenant.instanceId, phone: phoneOf(9_000_000 + number) },
        ...{ messageType: "text", message: `Oi ${number}`, queued: true },
      });
    }
  });
  await bench.admin`
      delete from messaging.message_queue where instance_id = ${tenant.instanceId}`;
  const { batchId } = await post(batches, tenant, "/batches-api/batches", {
    message: { messageType: "text", message: "Oi {{nome}}: {{cupom}}" },
  });
  const path = `/batches-api/batches/${batchId}`;
  const acceptMs = await measureMs(async () => {
    for (let from = 0; from < people; from += perCall) {
      const recipients = Array.from(
        { length: Math.min(perCall, people - from) },
        (_, place) => ({
          phone: phoneOf(from + place),
          variables: { nome: `Pessoa ${from + place}`, cupom: `C${from + place}` },
        }),
      );
      await post(batches, tenant, `${path}/recipients`, { recipients });
    }
  });
  const perMinute = people / (acceptMs / 60_000);
  const singlePerMinute = singleCalls / (singleMs / 60_000);
  report.figure({
    what: `recipients accepted a minute, in calls of ${perCall}`,
    value: perMinute,
    unit: "a minute",
    bar: { kind: "at least", value: 20_000 },
    note: `${people} people; one queued call each: ${Math.round(singlePerMinute)} a minute`,
  });
  const time = async (
    what: string,
    barMs: number,
    call: () => Promise<unknown>,
  ): Promise<void> => {
    const ms = await measureMs(call);
    report.figure({ what, value: ms, unit: "ms", bar: { kind: "at most", value: barMs } });
  };
  await time(
    `dry run of ${Math.min(people, 10_000)}`,
    5_000,
    () => post(batches, tenant, `${path}/dry-run`, {}),
  );
  await time("dry run of the last 1,000", 8_000, () => {
    const fromIndex = Math.max(people - 1_000, 0);
    return post(batches, tenant, `${path}/dry-run`, { fromIndex, limit: 1_000 });
  });
  for (const action of ["start", "pause", "resume"]) {
    await time(
      `${action} of ${people}`,
      2_000,
      () => post(batches, tenant, `${path}/${action}`, {}),
    );
  }
  await compareClaims(context, claims);
  await time("reading it", 2_000, () => get(batches, tenant, path));
  await time(`cancel of ${people}`, 2_000, () => post(batches, tenant, `${path}/cancel`, {}));
}

/** The messages have no files. */
const noFiles = {} as MediaStorage;

function phoneOf(number: number): string {
  return `5521${900_000_000 + number}`;
}

// deno-lint-ignore no-explicit-any -- the bench reads what it needs
async function request(app: Hono, path: string, init: RequestInit): Promise<any> {
  const response = await app.request(path, init);
  const body = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

// deno-lint-ignore no-explicit-any -- the bench reads what it needs
function post(app: Hono, tenant: Tenant, path: string, body: object): Promise<any> {
  const headers = { "X-Client-Token": tenant.token, "Content-Type": "application/json" };
  return request(app, path, { method: "POST", headers, body: JSON.stringify(body) });
}

function get(app: Hono, tenant: Tenant, path: string): Promise<unknown> {
  return request(app, path, { headers: { "X-Client-Token": tenant.token } });
}
