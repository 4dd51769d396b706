import { createMediaLinks } from "../../shared/media/links.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createMessagesApiApp } from "./app.ts";

const config = parseConfig(Deno.env.toObject());
const app = createMessagesApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  links: createMediaLinks(config),
  log: consoleLog,
});

Deno.serve(app.fetch);
