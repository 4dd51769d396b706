import { viewerScript } from "../../functions/api-docs/viewer.ts";

/** Path of the reference page's viewer. The stack serves it, so the page needs no network. */
export const apiDocsViewerPath = "/api-docs-viewer";

/** The part of Fastify's interface that the package's plugin uses. */
interface PluginHost {
  hasPlugin(name: string): boolean;
  route(route: PluginRoute): void;
}

interface PluginRoute {
  readonly url: string;
  handler(request: unknown, reply: PluginReply): unknown;
}

interface PluginReply {
  header(name: string, value: string): PluginReply;
  send(body: string): PluginReply;
}

let viewer: Promise<Uint8Array<ArrayBuffer>> | undefined;

/**
 * The viewer's file. It is taken from `@scalar/fastify-api-reference`, a plugin that serves it at a
 * route of its own: the package `@scalar/api-reference` holds the same bytes, but depends on the
 * libraries that they are built from, of which a stack needs none.
 */
export function readViewerScript(): Promise<Uint8Array<ArrayBuffer>> {
  return viewer ??= loadViewerScript();
}

async function loadViewerScript(): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded by the first reader: a start needs none of its 5 MB.
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const routes: PluginRoute[] = [];
  const host: PluginHost = { hasPlugin: () => false, route: (route) => routes.push(route) };
  const register: unknown = plugin;
  (register as (host: PluginHost, options: unknown, done: () => void) => void)(
    host,
    { configuration: { url: "openapi.json" } },
    () => {},
  );
  let text: string | undefined;
  const reply: PluginReply = {
    header: () => reply,
    send: (body) => {
      text = body;
      return reply;
    },
  };
  routes.find(({ url }) => url.endsWith(".js"))?.handler(undefined, reply);
  if (text === undefined) throw new Error("@scalar/fastify-api-reference serves no script");
  return new TextEncoder().encode(text);
}

/** Serves the viewer's file. Every other path is 404. */
export async function serveApiDocsViewer(pathname: string): Promise<Response> {
  if (pathname !== `${apiDocsViewerPath}/${viewerScript.name}`) {
    return Response.json({ error: "not_found" }, { status: 404 });
  }
  return new Response(await readViewerScript(), {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
    },
  });
}
