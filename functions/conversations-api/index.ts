import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createConversationsApiApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const vault = createCredentialVault(config.credentialsKeys);
const app = createConversationsApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  openProvider: createProviderOpener(vault),
  providerTimeoutMs: config.providerTimeoutMs,
  log: consoleLog,
});

Deno.serve(app.fetch);
