import { parseConfig } from "../../shared/runtime/config.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createMediaLinks } from "../../shared/media/links.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createMessagesContextApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const app = createMessagesContextApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  links: createMediaLinks(config),
  log: consoleLog,
});

Deno.serve(app.fetch);
