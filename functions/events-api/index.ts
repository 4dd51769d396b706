import { parseConfig } from "../../shared/runtime/config.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createEventsApiApp } from "./app.ts";

const config = parseConfig(Deno.env.toObject());
const app = createEventsApiApp({
  database: await connectDatabase(config.database),
  log: consoleLog,
});

Deno.serve(app.fetch);
