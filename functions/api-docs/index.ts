import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { servesHtml } from "../../shared/runtime/html_hosting.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createApiDocsApp } from "./app.ts";
import { readReferenceLink } from "./reference_link.ts";

placeDocs(Deno.env.toObject());
const app = await createApiDocsApp({
  log: consoleLog,
  hidesHtml: !servesHtml(Deno.env.get("SUPABASE_URL")),
  viewerUrl: Deno.env.get("API_DOCS_VIEWER_URL"),
  link: readReferenceLink({
    referenceUrl: Deno.env.get("API_REFERENCE_URL"),
    projectUrl: Deno.env.get("SUPABASE_URL"),
  }),
});

Deno.serve(app.fetch);
