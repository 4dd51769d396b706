/** Endpoints by which the console and tests put files on a customer's phone, and read them. */
import { Hono } from "hono";
import { listRangeHeaders, readByteRange } from "../../../shared/media/byte_range.ts";
import { maxMediaBytes } from "../../../shared/media/media_rules.ts";
import { dispositionOf, servedType } from "../../../shared/media/served_type.ts";
import type { SimulatorContext } from "./context.ts";
import { addressOf, type SimulatedFile } from "./file_store.ts";

/**
 * `PUT /files?name=` takes a file as the body, `GET /files/{id}` gives it, below `/simulator`. PUT, because
 * a page of another origin cannot send it without a preflight.
 */
export function createFileApi({ files }: SimulatorContext): Hono {
  const app = new Hono();
  app.put("/files", async (context) => {
    const bytes = new Uint8Array(await context.req.arrayBuffer());
    if (bytes.byteLength === 0 || bytes.byteLength > maxMediaBytes) {
      const message = "The file must have 1 byte to 100 MB.";
      return Response.json({ error: "invalid_request", message }, { status: 400 });
    }
    const file = files.add({
      bytes,
      mimeType: context.req.header("content-type") ?? "application/octet-stream",
      fileName: context.req.query("name") || null,
    });
    const { id, mimeType, sha256 } = file;
    return Response.json({
      fileId: id,
      mimeType,
      sha256,
      size: bytes.byteLength,
      url: addressOf(file, context.req.raw),
    }, { status: 201 });
  });
  app.get("/files/:id", (context) => {
    const file = files.get(context.req.param("id"));
    return file === undefined
      ? Response.json({ error: "not_found" }, { status: 404 })
      : answerFile(file, context.req.raw.headers);
  });
  return app;
}

/** A file, or the part that is asked for, as its host gives it out: nothing in it runs in a browser. */
export function answerFile(
  { id, bytes, mimeType, fileName }: SimulatedFile,
  request: Headers,
): Response {
  const type = mimeType.split(";")[0]?.trim() ?? "";
  const range = readByteRange(request, bytes.byteLength);
  return new Response(range === null ? bytes : bytes.subarray(range.start, range.end), {
    status: range === null ? 200 : 206,
    headers: {
      "Accept-Ranges": "bytes",
      "Content-Type": servedType(type),
      "Content-Disposition": dispositionOf({ mediaId: id, mimeType: type, fileName }),
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      ...(range === null ? {} : listRangeHeaders(range)),
    },
  });
}
