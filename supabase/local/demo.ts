import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { demoInstanceRef, demoWorkspaceId } from "../../shared/openapi/demo_fixtures.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { type AdminApi, openAdminApi } from "../admin/admin_api.ts";
import { createDemoConfig, demoPhone, demoProvider } from "./simulator/zapi/demo_instance.ts";

/** The demo instance, a token that opens it and the secret of its webhook. */
export interface Demo {
  readonly instanceId: string;
  readonly clientToken: string;
  readonly webhookSecret: string;
}

/** The stack's address, keys and data folder. */
export interface DemoOptions {
  readonly origin: string;
  readonly secretKey: string;
  readonly credentialsKeys: string;
  readonly dataDir: string;
}

/** Content of `demo.json`. Token and webhook secret are stored nowhere else in plain text. */
const storedSchema = z.object({
  instanceId: z.string(),
  clientToken: z.string(),
  webhookSecret: z.string(),
  origin: z.string(),
  /** The key that sealed the instance's credentials. They cannot be opened with another key. */
  keyId: z.string(),
});
type StoredDemo = z.infer<typeof storedSchema>;

const instancesSchema = z.object({
  items: z.array(z.looseObject({
    instanceId: z.string(),
    businessInstanceId: z.string().nullable(),
  })),
});

/**
 * Creates the demo instance through admin-api on the first start, with an AI agent that answers
 * customers. Points it at this stack's simulator, also after a change of the port. Replaces a token that
 * is lost or invalid, and credentials that were sealed under another key.
 */
export async function prepareDemo(options: DemoOptions): Promise<Demo> {
  const { origin, secretKey, credentialsKeys, dataDir } = options;
  const file = join(dataDir, "demo.json");
  const admin = openAdminApi(origin, () => Promise.resolve(secretKey));
  const [keyId = ""] = await createCredentialVault(credentialsKeys).keyIds();
  const stored = await readStoredDemo(file);
  const found = await findInstance(admin);
  const own = stored !== null && stored.instanceId === found ? stored : null;
  const webhookSecret = own?.webhookSecret ?? randomBytes(24).toString("base64url");
  const providerConfig = createDemoConfig(origin, webhookSecret);
  if (found !== undefined && (own?.origin !== origin || own.keyId !== keyId)) {
    await admin.call("PATCH", `instances/${found}`, { providerConfig });
  }
  const instanceId = found ?? await createInstance(admin, providerConfig);
  const clientToken = own !== null && await opensInstance(origin, own)
    ? own.clientToken
    : await createToken(admin, instanceId);
  await ensureAgent(admin, instanceId);
  await storeDemo(dataDir, file, { instanceId, clientToken, webhookSecret, origin, keyId });
  return { instanceId, clientToken, webhookSecret };
}

async function findInstance(admin: AdminApi): Promise<string | undefined> {
  const page = await admin.call("GET", `instances?workspaceId=${demoWorkspaceId}&limit=1000`);
  const { items } = instancesSchema.parse(page);
  return items.find((item) => item.businessInstanceId === demoInstanceRef)?.instanceId;
}

async function createInstance(
  admin: AdminApi,
  providerConfig: Readonly<Record<string, string>>,
): Promise<string> {
  const created = await admin.call("POST", "instances", {
    workspaceId: demoWorkspaceId,
    name: "Demo",
    provider: demoProvider,
    providerConfig,
    connectedPhone: demoPhone,
    businessInstanceId: demoInstanceRef,
    timeZone: "America/Sao_Paulo",
    // Always open, so that a queued message leaves at any hour.
    sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] },
  });
  return z.string().parse(created["instanceId"]);
}

/** Creates an agent where the instance has none, so that customers get answers. */
async function ensureAgent(admin: AdminApi, instanceId: string): Promise<void> {
  const { items } = z.object({ items: z.array(z.unknown()) }).parse(
    await admin.call("GET", `agents?instanceId=${instanceId}&limit=1`),
  );
  if (items.length > 0) return;
  await admin.call("POST", "agents", {
    instanceId,
    name: "Lia",
    instructions: "Você atende a loja. Responda a {{nome}} em poucas palavras.",
    model: "simulated-model",
    isActive: true,
  });
}

async function createToken(admin: AdminApi, instanceId: string): Promise<string> {
  const { token } = await admin.call("POST", `instances/${instanceId}/tokens`, { label: "demo" });
  return z.string().parse(token);
}

async function opensInstance(origin: string, stored: StoredDemo): Promise<boolean> {
  const response = await fetch(
    `${origin}/functions/v1/messages-api/queue?instanceId=${stored.instanceId}&limit=1`,
    { headers: { "x-client-token": stored.clientToken } },
  );
  await response.body?.cancel();
  return response.ok;
}

async function readStoredDemo(file: string): Promise<StoredDemo | null> {
  try {
    return storedSchema.parse(JSON.parse(await Deno.readTextFile(file)));
  } catch {
    return null;
  }
}

async function storeDemo(dataDir: string, file: string, demo: StoredDemo): Promise<void> {
  await Deno.mkdir(dataDir, { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify(demo), { mode: 0o600 });
}
