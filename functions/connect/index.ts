import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { administrationRegistry as registry } from "../../shared/providers/administration_registry.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createConnectApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const vault = createCredentialVault(config.credentialsKeys);
const app = await createConnectApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  vault,
  registry,
  openProvider: createProviderOpener(vault),
  functionsUrl: config.functionsUrl,
  providerTimeoutMs: config.providerTimeoutMs,
  log: consoleLog,
});

Deno.serve(app.fetch);
