import * as z from "zod";
import { join } from "node:path";

/** The demo instance and a token that opens it. */
export interface Demo {
  readonly instanceId: string;
  readonly clientToken: string;
}

const demoSchema = z.object({ instanceId: z.string(), clientToken: z.string() });

/** Fixed by supabase/seed.sql. */
const demoWorkspaceId = "d0000000-0000-4000-8000-000000000001";

interface AdminApi {
  get(path: string): Promise<Record<string, unknown>>;
  post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/**
 * The demo instance, made through admin-api on the first start; its token is kept in the data
 * folder, the only place that has it in clear. A database that has the instance but no such file
 * gets a further token.
 */
export async function prepareDemo(
  stack: { readonly origin: string; readonly secretKey: string; readonly dataDir: string },
): Promise<Demo> {
  const file = join(stack.dataDir, "demo.json");
  const admin = openAdminApi(stack.origin, stack.secretKey);
  const instanceId = await findOrCreateInstance(admin, stack.origin);
  const kept = await readKeptDemo(file);
  if (kept !== null && kept.instanceId === instanceId) return kept;
  const { token } = await admin.post(`instances/${instanceId}/tokens`, { label: "demo" });
  const demo = demoSchema.parse({ instanceId, clientToken: token });
  await Deno.mkdir(stack.dataDir, { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify(demo), { mode: 0o600 });
  return demo;
}

async function findOrCreateInstance(admin: AdminApi, origin: string): Promise<string> {
  const { items } = z.object({ items: z.array(z.looseObject({ instanceId: z.string() })) }).parse(
    await admin.get(`instances?workspaceId=${demoWorkspaceId}`),
  );
  const known = items[0]?.instanceId;
  if (known !== undefined) return known;
  const created = await admin.post("instances", {
    workspaceId: demoWorkspaceId,
    name: "Demo",
    provider: "zapi",
    providerConfig: {
      baseUrl: `${origin}/simulator/zapi`,
      gatewayInstanceId: "DEMO",
      token: "demo-instance-token",
      webhookSecret: "demo-webhook-secret-0123456789",
    },
    connectedPhone: "5511999990000",
    businessInstanceId: "demo",
    timeZone: "America/Sao_Paulo",
    // Always open, so that a queued message can be watched at any hour.
    sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] },
  });
  return z.string().parse(created["instanceId"]);
}

function openAdminApi(origin: string, secretKey: string): AdminApi {
  const call = async (path: string, init: RequestInit): Promise<Record<string, unknown>> => {
    const response = await fetch(`${origin}/functions/v1/admin-api/${path}`, init);
    const body: Record<string, unknown> = await response.json();
    if (!response.ok) throw new Error(`admin-api ${path}: ${response.status} ${body["error"]}`);
    return body;
  };
  const headers = { apikey: secretKey, "content-type": "application/json" };
  return {
    get: (path) => call(path, { headers }),
    post: (path, body) => call(path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}

async function readKeptDemo(file: string): Promise<Demo | null> {
  try {
    return demoSchema.parse(JSON.parse(await Deno.readTextFile(file)));
  } catch {
    return null;
  }
}
