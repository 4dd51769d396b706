import { join } from "node:path";
import getPackageFolder from "swagger-ui-dist/absolute-path.js";

/** Where the stack serves the viewer of the reference page, so that it needs no network. */
export const apiDocsViewerPath = "/api-docs-viewer";

const contentTypes: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};

/** A file of the viewer, out of its npm package. */
export async function readViewerFile(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(join(getPackageFolder(), name));
}

/** Answers the page's requests for the viewer's files; the package holds others, which nobody asks for. */
export async function serveApiDocsViewer(pathname: string): Promise<Response> {
  const name = pathname.slice(apiDocsViewerPath.length + 1);
  const contentType = contentTypes[name];
  if (contentType === undefined) return Response.json({ error: "not_found" }, { status: 404 });
  const headers = { "Content-Type": contentType, "Cache-Control": "public, max-age=3600" };
  return new Response(await readViewerFile(name), { headers });
}
