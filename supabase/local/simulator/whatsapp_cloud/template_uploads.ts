/**
 * Sample files of templates (page Resumable Upload API): `POST /{version}/{app id}/uploads` begins a session,
 * `POST /{version}/upload:…` takes the bytes and answers a handle.
 */
import { Hono } from "hono";
import type { SimulatorContext } from "../context.ts";
import { readBearerToken } from "../json_request.ts";
import { invalidToken, refuseGraph } from "./errors.ts";

const sampleTypes = new Set(["application/pdf", "image/jpeg", "image/png", "video/mp4"]);

interface Session {
  readonly size: number;
  readonly type: string;
}

/** The routes below `/simulator/graph`. */
export function createUploadRoutes({ files }: SimulatorContext): Hono {
  const sessions = new Map<string, Session>();
  const app = new Hono();
  app.post("/:version{v[0-9]+\\.[0-9]+}/:appId/uploads", ({ req, json }) => {
    if (readBearerToken(req.raw) === undefined) return refuseGraph(invalidToken);
    const [size, type] = [Number(req.query("file_length")), req.query("file_type") ?? ""];
    if (!Number.isInteger(size) || size <= 0) return refuse("file_length");
    if (!sampleTypes.has(type)) return refuse("file_type");
    const id = `upload:${crypto.randomUUID()}`;
    sessions.set(id, { size, type });
    return json({ id });
  });
  app.post("/:version{v[0-9]+\\.[0-9]+}/:session{upload:.+}", async ({ req, json }) => {
    if (!/^OAuth \S+$/.test(req.header("authorization") ?? "")) return refuseGraph(invalidToken);
    const session = sessions.get(req.param("session"));
    if (session === undefined || req.header("file_offset") !== "0") return refuse("file_offset");
    const bytes = new Uint8Array(await req.arrayBuffer());
    if (bytes.byteLength !== session.size) return refuse("file_length");
    const { id } = files.add({ bytes, mimeType: session.type, fileName: "sample" });
    return json({ h: `4::${btoa(session.type)}:${id}` });
  });
  return app;
}

function refuse(parameter: string): Response {
  const details = `The parameter ${parameter} is required.`;
  return refuseGraph({ status: 400, code: 100, title: details, details });
}
