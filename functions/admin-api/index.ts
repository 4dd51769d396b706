import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { administrationRegistry as registry } from "../../shared/providers/administration_registry.ts";
import { createAdminApp } from "./app.ts";

const config = parseConfig(Deno.env.toObject());
const app = createAdminApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  vault: createCredentialVault(config.credentialsKeys),
  registry,
  secretKeys: config.secretKeys,
  providerTimeoutMs: config.providerTimeoutMs,
  log: consoleLog,
});

Deno.serve(app.fetch);
