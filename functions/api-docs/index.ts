import { consoleLog } from "../../shared/log.ts";
import { createApiDocsApp } from "./app.ts";

const app = await createApiDocsApp({
  log: consoleLog,
  viewerUrl: Deno.env.get("API_DOCS_VIEWER_URL"),
});

Deno.serve(app.fetch);
