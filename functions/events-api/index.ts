import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createEventDelivery } from "../../shared/events/deliver_event.ts";
import { createMediaLinks } from "../../shared/media/links.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createEventsApiApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const { allowsPrivateHosts } = config;
const vault = createCredentialVault(config.credentialsKeys);
const links = createMediaLinks(config);
const app = createEventsApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  vault,
  deliverEvent: createEventDelivery({ vault, allowsPrivateHosts, links }),
  allowsPrivateHosts,
  links,
  log: consoleLog,
});

Deno.serve(app.fetch);
