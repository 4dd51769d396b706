import { join } from "node:path";
import getPackageFolder from "swagger-ui-dist/absolute-path.js";

/** Path of the reference page's viewer. The stack serves it, so the page needs no network. */
export const apiDocsViewerPath = "/api-docs-viewer";

const contentTypes: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};

/** Reads a file of the viewer from its npm package. */
export async function readViewerFile(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(join(getPackageFolder(), name));
}

/** Serves the viewer's files that the page loads. Any other file of the package is 404. */
export async function serveApiDocsViewer(pathname: string): Promise<Response> {
  const name = pathname.slice(apiDocsViewerPath.length + 1);
  const contentType = contentTypes[name];
  if (contentType === undefined) return Response.json({ error: "not_found" }, { status: 404 });
  const headers = { "Content-Type": contentType, "Cache-Control": "public, max-age=3600" };
  return new Response(await readViewerFile(name), { headers });
}
