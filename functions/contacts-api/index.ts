import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createContactsApiApp } from "./app.ts";

const config = parseConfig(Deno.env.toObject());
const app = createContactsApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  vault: createCredentialVault(config.credentialsKeys),
  log: consoleLog,
});

Deno.serve(app.fetch);
