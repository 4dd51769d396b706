import { consoleLog } from "../../shared/runtime/log.ts";
import { createApiDocsApp } from "./app.ts";
import { readReferenceLink } from "./reference_link.ts";

const app = await createApiDocsApp({
  log: consoleLog,
  viewerUrl: Deno.env.get("API_DOCS_VIEWER_URL"),
  link: readReferenceLink({
    referenceUrl: Deno.env.get("API_REFERENCE_URL"),
    projectUrl: Deno.env.get("SUPABASE_URL"),
  }),
});

Deno.serve(app.fetch);
