import { createLinkLoader } from "../../shared/media/open_links.ts";
import { openMediaStorage } from "../../shared/media/open_storage.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createBatchesApiApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const vault = createCredentialVault(config.credentialsKeys);
const app = createBatchesApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  openProvider: createProviderOpener(vault),
  vault,
  allowsPrivateHosts: config.allowsPrivateHosts,
  files: { storage: openMediaStorage(config.media), loadLinks: createLinkLoader(config) },
  log: consoleLog,
});

Deno.serve(app.fetch);
