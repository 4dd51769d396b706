import { parseConfig } from "../../shared/runtime/config.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createConversationsApiApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const app = createConversationsApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  log: consoleLog,
});

Deno.serve(app.fetch);
