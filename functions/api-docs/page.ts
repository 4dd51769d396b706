import { escapeHtml } from "../../shared/model/html.ts";
import { searchScript } from "./page_script.ts";
import { pageStyle } from "./page_style.ts";
import { type ReferenceDocument, renderContents, renderReference } from "./reference_text.ts";
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
 * Loads the viewer when a reader asks for it, and then puts it in the place of the text: a viewer that fails
 * leaves it. Nothing is fetched from another host: no fonts, no telemetry, no assistant, no proxy.
 */
const writeStartScript = ({ documentUrl, chooseServer }: PageHost): string => `
${searchScript}
const tryCalls = document.getElementById("try");
tryCalls.addEventListener("click", async () => {
  tryCalls.disabled = true;
  tryCalls.textContent = "Loading…";
  try {
    const [specification] = await Promise.all([readSpecification(), loadViewer()]);
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
  } catch {
    tryCalls.disabled = false;
    tryCalls.textContent = "The viewer cannot be loaded. Try again";
  }
});

async function readSpecification() {
  return await (await fetch("${documentUrl}")).json();
}

/** The page names the viewer's script in an element that loads nothing by itself. */
function loadViewer() {
  const { src, integrity } = document.getElementById("viewer").dataset;
  const script = Object.assign(document.createElement("script"), {
    src,
    integrity,
    crossOrigin: "anonymous",
  });
  return new Promise((resolve, reject) => {
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(script);
  });
}
`;

/**
 * Renders the reference page: the whole reference as HTML, and a viewer in which calls can be tried, for
 * who asks for it. The browser loads the viewer from `viewerUrl` and rejects a file whose hash differs from the
 * pinned one.
 */
export async function renderReferencePage(
  document: ReferenceDocument,
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
  document: ReferenceDocument,
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
  document: ReferenceDocument,
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
<style>${pageStyle}</style>
</head>
<body>
<div id="plain">
<header class="top">
<h1>${title} <small>${escapeHtml(document.info.version)}</small></h1>
<div class="find" role="search">
<input type="text" role="combobox" id="search" placeholder="Search: list with sections, voice, reminder …" aria-label="Search the reference" aria-keyshortcuts="Control+K /" aria-autocomplete="list" aria-controls="found" aria-expanded="false" autocomplete="off" spellcheck="false">
<span id="found-count" role="status"></span>
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
<button type="button" id="try">Try calls</button>
<a href="${documentUrl}">OpenAPI document</a>
</header>
<div class="columns">
<aside class="contents" aria-label="Contents">
${renderContents(document)}
</aside>
<main id="text">
${renderReference(document)}
</main>
</div>
</div>
<div id="reference"></div>
<script type="text/plain" id="viewer" data-src="${scriptUrl}" data-integrity="${viewerScript.integrity}"></script>
<script>${startScript}</script>
</body>
</html>
`;
}

/** The policy of a page without scripts. */
export const textPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page of text, in the style of the reference. @param content as HTML. */
export function renderTextPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<header class="top"><h1>${escapeHtml(title)}</h1></header>
<main id="text">
${content}
</main>
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
