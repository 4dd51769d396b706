import { escapeHtml } from "../../shared/model/html.ts";
import { type ListedDocument, renderOperationList } from "./operation_list.ts";
import { viewerScript } from "./viewer.ts";

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
  chooseServer: "specification.servers[0].variables.base_url.default = location.origin;",
  connectTo: "'self'",
};

/** On a static host beside the document: the reader enters the address of the service. */
const staticHost: PageHost = {
  documentUrl: "openapi.json",
  chooseServer: "",
  connectTo: "'self' https: http://127.0.0.1:* http://localhost:*",
};

/**
 * Starts the viewer beside the plain list, and then removes the list: a viewer that fails leaves it.
 * Nothing is fetched from another host: no fonts, no telemetry, no assistant, no proxy.
 */
const writeStartScript = ({ documentUrl, chooseServer }: PageHost): string => `
(async () => {
  const specification = await (await fetch("${documentUrl}")).json();
  ${chooseServer}
  Scalar.createApiReference("#reference", {
    content: specification,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    hideClientButton: true,
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    onLoaded: () => document.getElementById("plain")?.remove(),
  });
})();
`;

const style = `
body { margin: 0; }
#plain { max-width: 60rem; margin: 0 auto; padding: 1rem; color: #222; background: #fff;
  font: 1rem/1.5 system-ui, sans-serif; }
#plain code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #0f0f0f; }
  #plain { color: #ddd; background: none; }
  #plain a { color: #8ab4f8; }
}
`;

/**
 * Renders the reference page: the operations as plain HTML, which the viewer replaces once it has
 * loaded. The browser loads the viewer from `viewerUrl` and rejects a file whose hash differs from the
 * pinned one.
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
  const scriptUrl = escapeHtml(`${viewerUrl}/${viewerScript.name}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main id="plain">
<h1>${title}</h1>
<p>The whole reference: <a href="${documentUrl}">OpenAPI document</a>.</p>
${renderOperationList(document)}
</main>
<div id="reference"></div>
<script src="${scriptUrl}" integrity="${viewerScript.integrity}" crossorigin="anonymous"></script>
<script>${startScript}</script>
</body>
</html>
`;
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
    // The viewer adds its own styles.
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${connectTo}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
