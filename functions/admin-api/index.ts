import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { fetchFile, fetchTimeouts } from "../../shared/media/fetch_file.ts";
import { openMediaStorage } from "../../shared/media/open_storage.ts";
import { HostResolution } from "../../shared/runtime/host_resolution.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { administrationRegistry as registry } from "../../shared/providers/administration_registry.ts";
import { createAdminApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const { allowsPrivateHosts } = config;
const fetching = { ...fetchTimeouts, allowsPrivateHosts, hosts: new HostResolution() };
const app = createAdminApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  vault: createCredentialVault(config.credentialsKeys),
  registry,
  storage: openMediaStorage(config.media),
  fetchSample: (url) => fetchFile({ url }, fetching),
  secretKeys: config.secretKeys,
  connectPageUrl: config.connectPageUrl,
  functionsUrl: config.functionsUrl,
  providerTimeoutMs: config.providerTimeoutMs,
  log: consoleLog,
});

Deno.serve(app.fetch);
