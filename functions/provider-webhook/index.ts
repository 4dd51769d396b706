import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { openMediaStorage } from "../../shared/media/open_storage.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { webhookRegistry as registry } from "../../shared/providers/webhook_registry.ts";
import { createProviderWebhookApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const app = createProviderWebhookApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  vault: createCredentialVault(config.credentialsKeys),
  registry,
  storage: openMediaStorage(config.media),
  log: consoleLog,
});

Deno.serve(app.fetch);
