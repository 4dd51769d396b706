import type { Context, Hono } from "hono";
import { etag } from "hono/etag";
import { writeJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/runtime/log.ts";
import document from "./openapi.json" with { type: "json" };
import { renderReferencePage } from "./page.ts";
import type { ReferenceLink } from "./reference_link.ts";
import { defaultViewerUrl } from "./viewer.ts";

export interface ApiDocsServices {
  readonly log: Log;
  /** URL of the folder with the viewer's files; a public CDN when undefined. */
  readonly viewerUrl?: string | undefined;
  /** Returned instead of the page where the platform serves no HTML. */
  readonly link?: ReferenceLink | undefined;
}

/** Clients revalidate every time, and get 304 when nothing has changed. */
const cacheControl = "public, no-cache";

/**
 * /functions/v1/api-docs: the OpenAPI document, and a page to read it or a link to one. Public,
 * without a database.
 */
export async function createApiDocsApp({ log, viewerUrl, link }: ApiDocsServices): Promise<Hono> {
  const page = await renderReferencePage(document, viewerUrl ?? defaultViewerUrl);
  const documentText = JSON.stringify(document);

  const getPage = async (context: Context): Promise<Response> =>
    await context.html(page.html, 200, {
      "Cache-Control": cacheControl,
      "Content-Security-Policy": page.contentSecurityPolicy,
    });

  const getLink = (known: ReferenceLink) => (context: Context): Promise<Response> =>
    Promise.resolve(writeJson(
      context,
      { success: true, ...known },
      200,
      { "Cache-Control": cacheControl },
    ));

  const getDocument = (context: Context): Promise<Response> =>
    Promise.resolve(context.body(documentText, 200, {
      "Cache-Control": cacheControl,
      "Content-Type": "application/json",
    }));

  return createApp({
    slug: "api-docs",
    log,
    routes: [
      {
        method: "GET",
        path: "/",
        handlers: [etag(), link === undefined ? getPage : getLink(link)],
      },
      { method: "GET", path: "/openapi.json", handlers: [etag(), getDocument] },
    ],
  });
}
