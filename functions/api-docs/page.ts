import { escapeHtml } from "../../shared/model/html.ts";
import { type ListedDocument, renderOperationList } from "./operation_list.ts";
import { type ViewerFile, viewerScript, viewerStyle } from "./viewer.ts";

/** A page with its Content Security Policy. */
export interface ReferencePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** The properties of a page that depend on where it is served. */
interface PageHost {
  /** URL of the OpenAPI document, relative to the page. */
  readonly documentUrl: string;
  /**
   * A script statement that sets the server of the calls that a reader tries. Default: the
   * document's server.
   */
  readonly chooseServer: string;
  /** The `connect-src` of the page's scripts. */
  readonly connectTo: string;
}

/** Served by the function: calls go only to the page's own origin. */
const functionHost: PageHost = {
  documentUrl: "/functions/v1/api-docs/openapi.json",
  chooseServer: "document.servers[0].variables.base_url.default = location.origin;",
  connectTo: "'self'",
};

/** On a static host beside the document: the reader enters the address of the service. */
const staticHost: PageHost = {
  documentUrl: "openapi.json",
  chooseServer: "",
  connectTo: "'self' https: http://127.0.0.1:* http://localhost:*",
};

const writeStartScript = ({ documentUrl, chooseServer }: PageHost): string => `
(async () => {
  const document = await (await fetch("${documentUrl}")).json();
  ${chooseServer}
  SwaggerUIBundle({
    spec: document,
    dom_id: "#reference",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    requestSnippetsEnabled: false,
    syntaxHighlight: { activated: true, theme: "agate" },
    validatorUrl: null,
  });
})();
`;

const style = `
body { margin: 0; background: #fff; }
#reference { overflow-x: clip; }
#reference > .plain { max-width: 60rem; margin: 0 auto; padding: 1rem; color: #222;
  font: 1rem/1.5 system-ui, sans-serif; }
#reference > .plain code { overflow-wrap: anywhere; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .renderedMarkdown { overflow-x: auto; }
.swagger-ui .info summary { cursor: pointer; font-weight: bold; padding: 0.5rem 0; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .renderedMarkdown code { white-space: normal; overflow-wrap: anywhere; }
.swagger-ui .renderedMarkdown td code { overflow-wrap: normal; }
.swagger-ui .renderedMarkdown td { vertical-align: top; padding: 0.25rem 0.5rem 0.25rem 0; }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 0.75rem; }
  .swagger-ui .info .title { font-size: 1.75rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding-right: 0; }
  .swagger-ui .opblock-tag small { order: 1; flex-basis: 100%; padding: 0.25rem 0 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; }
  .swagger-ui table tbody tr td:first-of-type { min-width: 4rem; }
  .swagger-ui select { max-width: 100%; }
  .swagger-ui .opblock-body, .swagger-ui .responses-inner { overflow-x: auto; }
}
`;

/**
 * Renders the reference page: the operations as plain HTML, which the viewer replaces once it has
 * loaded. The browser loads the viewer's files from `viewerUrl` and rejects files whose hashes
 * differ from the pinned ones.
 */
export async function renderReferencePage(
  document: ListedDocument,
  viewerUrl: string,
): Promise<ReferencePage> {
  const startScript = writeStartScript(functionHost);
  return {
    html: renderPage(document, viewerUrl, { startScript, ...functionHost }),
    contentSecurityPolicy: await writePolicy(viewerUrl, startScript, functionHost),
  };
}

/**
 * Renders the same page for a static host with `openapi.json` beside it. The page contains its
 * policy in a meta element, because such a host sends no policy header.
 */
export async function renderStaticPage(
  document: ListedDocument,
  viewerUrl: string,
): Promise<string> {
  const startScript = writeStartScript(staticHost);
  const policy = (await writePolicy(viewerUrl, startScript, staticHost))
    // Browsers ignore `frame-ancestors` in a meta element.
    .replace(/; frame-ancestors [^;]*/, "");
  // Our own words and the viewer's origin: no character that an attribute needs escaped.
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`;
  return renderPage(document, viewerUrl, { startScript, ...staticHost }, head);
}

function renderPage(
  document: ListedDocument,
  viewerUrl: string,
  { startScript, documentUrl }: { readonly startScript: string; readonly documentUrl: string },
  head = "",
): string {
  const title = escapeHtml(document.info.title);
  const script = describeFile(viewerUrl, viewerScript);
  const sheet = describeFile(viewerUrl, viewerStyle);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${sheet.url}" integrity="${sheet.integrity}" crossorigin="anonymous">
<style>${style}</style>
</head>
<body>
<div id="reference">
<main class="plain">
<h1>${title}</h1>
<p>The whole reference: <a href="${documentUrl}">OpenAPI document</a>.</p>
${renderOperationList(document)}
</main>
</div>
<script src="${script.url}" integrity="${script.integrity}" crossorigin="anonymous"></script>
<script>${startScript}</script>
</body>
</html>
`;
}

function describeFile(viewerUrl: string, { name, integrity }: ViewerFile): Record<string, string> {
  return { url: escapeHtml(`${viewerUrl}/${name}`), integrity };
}

async function writePolicy(
  viewerUrl: string,
  startScript: string,
  { connectTo }: PageHost,
): Promise<string> {
  const { origin } = new URL(viewerUrl);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(startScript));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash)));
  return [
    "default-src 'none'",
    `script-src ${origin} 'sha256-${base64}'`,
    `style-src ${origin} 'unsafe-inline'`,
    "img-src 'self' data:",
    `connect-src ${connectTo}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
