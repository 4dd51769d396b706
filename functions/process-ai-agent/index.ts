import { createLinkLoader } from "../../shared/media/open_links.ts";
import { openMediaStorage } from "../../shared/media/open_storage.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createBackground } from "../../shared/runtime/background.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createProcessAiAgentApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const app = createProcessAiAgentApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  openProvider: createProviderOpener(createCredentialVault(config.credentialsKeys)),
  runAfterResponse: createBackground(consoleLog),
  providerTimeoutMs: config.providerTimeoutMs,
  files: { storage: openMediaStorage(config.media), loadLinks: createLinkLoader(config) },
  log: consoleLog,
});

Deno.serve(app.fetch);
