import { connectDatabase } from "../../shared/database/connect_database.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createMcpApp } from "./app.ts";
import { createFunctionCaller } from "./call_function.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const app = createMcpApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  callFunction: createFunctionCaller(config.functionsUrl),
  log: consoleLog,
});

Deno.serve(app.fetch);
