import { parseConfig } from "../../shared/runtime/config.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createMetricsApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const app = createMetricsApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  secretKeys: config.secretKeys,
  log: consoleLog,
});

Deno.serve(app.fetch);
