import type { Context, Hono } from "hono";
import { etag } from "hono/etag";
import { writeJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/runtime/log.ts";
import document from "./openapi.json" with { type: "json" };
import { renderErrorSections, writeErrorSections } from "./error_sections.ts";
import { deprecations } from "../../shared/model/deprecations.ts";
import { renderMarkdown } from "./markdown.ts";
import { writeVersions } from "./versions_text.ts";
import { type ReferencePage, renderReferencePage, renderTextPage, textPagePolicy } from "./page.ts";
import type { ReferenceLink } from "./reference_link.ts";
import type { ReferenceDocument } from "./reference_text.ts";
import { defaultViewerUrl } from "./viewer.ts";

export interface ApiDocsServices {
  readonly log: Log;
  /** URL of the folder with the viewer's files; a public CDN when undefined. */
  readonly viewerUrl?: string | undefined;
  /** Returned instead of the page where the platform serves no HTML. */
  readonly link?: ReferenceLink | undefined;
  /** Whether the platform shows HTML as plain text. */
  readonly hidesHtml?: boolean;
}

/** The type of so large a file takes the compiler seconds, and says no more than what the page reads. */
const reference = document as unknown as ReferenceDocument;

/** Clients revalidate every time, and get 304 when nothing has changed. */
const cacheControl = "public, no-cache";

/**
 * /functions/v1/api-docs: the OpenAPI document, and a page to read it or a link to one. Public,
 * without a database.
 */
export async function createApiDocsApp(
  { log, viewerUrl, link, hidesHtml = false }: ApiDocsServices,
): Promise<Hono> {
  const getRoot = link === undefined
    ? servePage(await renderReferencePage(reference, viewerUrl ?? defaultViewerUrl))
    : serveLink(link);
  const documentText = JSON.stringify(document);

  const getDocument = (context: Context): Promise<Response> =>
    Promise.resolve(context.body(documentText, 200, {
      "Cache-Control": cacheControl,
      "Content-Type": "application/json",
    }));

  const getErrors = serveText(hidesHtml, "Errors", {
    html: renderErrorSections,
    markdown: writeErrorSections,
  });

  const getVersions = serveText(hidesHtml, "Versions", {
    html: () => renderMarkdown(writeVersions(deprecations), 2),
    markdown: () => writeVersions(deprecations),
  });

  return createApp({
    slug: "api-docs",
    log,
    routes: [
      {
        method: "GET",
        path: "/",
        handlers: [etag(), getRoot],
      },
      { method: "GET", path: "/openapi.json", handlers: [etag(), getDocument] },
      { method: "GET", path: "/errors.md", handlers: [etag(), getErrors] },
      { method: "GET", path: "/versions.md", handlers: [etag(), getVersions] },
    ],
  });
}

type Handler = (context: Context) => Promise<Response>;

function servePage({ html, contentSecurityPolicy }: ReferencePage): Handler {
  return async (context) =>
    await context.html(html, 200, {
      "Cache-Control": cacheControl,
      "Content-Security-Policy": contentSecurityPolicy,
    });
}

/** A page of the documentation: HTML, or Markdown where the platform shows none. */
function serveText(
  hidesHtml: boolean,
  title: string,
  { html, markdown }: Readonly<Record<"html" | "markdown", () => string>>,
): Handler {
  const text = hidesHtml ? `# ${title}\n\n${markdown()}\n` : renderTextPage(title, html());
  const headers = {
    "Cache-Control": cacheControl,
    "Content-Type": `text/${hidesHtml ? "markdown" : "html"}; charset=UTF-8`,
    "Content-Security-Policy": textPagePolicy,
  };
  return (context) => Promise.resolve(context.body(text, 200, headers));
}

function serveLink(link: ReferenceLink): Handler {
  return (context) =>
    Promise.resolve(writeJson(
      context,
      { success: true, ...link },
      200,
      { "Cache-Control": cacheControl },
    ));
}
