import { parseConfig } from "../../shared/config.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createBackground } from "../../shared/background.ts";
import { consoleLog } from "../../shared/log.ts";
import { createEmailDelivery } from "../../shared/notifications.ts";
import { createConversationsApiApp } from "./app.ts";

const config = parseConfig(Deno.env.toObject());
const app = createConversationsApiApp({
  database: await connectDatabase(config.database),
  deliverEmail: createEmailDelivery(config.email, config.panelBaseUrl),
  runAfterResponse: createBackground(consoleLog),
  log: consoleLog,
});

Deno.serve(app.fetch);
