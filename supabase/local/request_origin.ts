/**
 * Protects the local stack from foreign web pages. Any page in a developer's browser can send requests
 * to a local port; only the headers Host, Origin and Sec-Fetch-Site identify them.
 */
import { allowsCrossOrigin } from "../../shared/http/cross_origin.ts";
import { refuse } from "../host/host_refusal.ts";

/** Accepts any port number, because a forwarded port may differ. DNS rebinding cannot forge the name. */
const ownHost = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i;

/**
 * Rejects a request that a foreign page may have sent: 403 for a `Host` other than this machine's (DNS
 * rebinding), for an `Origin` other than this stack's, and for a request without one, such as the GET of an
 * `<img>`, whose `Sec-Fetch-Site` says that another origin's page sent it. A link to a page of the stack
 * may stand anywhere: the page that holds it does not see the answer.
 *
 * Functions that send CORS headers accept any Origin: they require a client token, which a foreign page
 * does not have. `Origin: null` (a sandboxed frame, a local file) is foreign.
 *
 * @param port the stack's port.
 * @returns null for a permitted request.
 */
export function refuseForeignRequest(request: Request, port: number): Response | null {
  const url = new URL(request.url);
  const host = request.headers.get("Host") ?? url.host;
  // Checks both, because an absolute request target may name another host than the header.
  if (!ownHost.test(host) || !ownHost.test(url.host)) {
    const message = `The Host header must name 127.0.0.1:${port} or localhost:${port}.`;
    return refuse(null, 403, { error: "foreign_host", message });
  }
  if (takesAnyOrigin(url.pathname) || isOwnPage(request.headers, host, port)) return null;
  return refuse(null, 403, {
    error: "foreign_origin",
    message: "A page of another origin may not call this address.",
  });
}

/** Whether a page of this stack, or no page, sent the request, or a person follows a link. */
function isOwnPage(headers: Headers, host: string, port: number): boolean {
  const origin = headers.get("Origin");
  if (origin !== null) {
    return [`http://${host}`, `http://127.0.0.1:${port}`, `http://localhost:${port}`]
      .includes(origin);
  }
  const site = headers.get("Sec-Fetch-Site");
  if (site === null || site === "same-origin" || site === "none") return true;
  return headers.get("Sec-Fetch-Mode") === "navigate" &&
    headers.get("Sec-Fetch-Dest") === "document";
}

function takesAnyOrigin(pathname: string): boolean {
  const slug = /^\/functions\/v1\/([^/]+)/.exec(pathname)?.[1];
  return slug !== undefined && allowsCrossOrigin(slug);
}
