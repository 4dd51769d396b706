/**
 * The media of the Cloud API (page Media): `POST /{version}/{phone-number-id}/media` takes a file over,
 * `GET /{version}/{media-id}` answers where a file is, and that address serves it to callers with the token.
 */
import { type Context, Hono } from "hono";
import { kindOfUpload, maxBytesOfKind } from "../../../../shared/media/media_rules.ts";
import { answerFile } from "../file_api.ts";
import type { SimulatedFile } from "../file_store.ts";
import { readBearerToken } from "../json_request.ts";
import type { SimulatorContext } from "../context.ts";
import { describeFault, type GraphError, invalidToken, refuseGraph } from "./errors.ts";

/** The routes below `/simulator/graph`. */
export function createMediaRoutes(simulator: SimulatorContext): Hono {
  const app = new Hono();
  app.post(
    "/:version{v[0-9]+\\.[0-9]+}/:phoneNumberId/media",
    (context) => withToken(context, () => takeFile(simulator, context.req.raw)),
  );
  app.get(
    "/:version{v[0-9]+\\.[0-9]+}/:mediaId{[0-9]+|media-.+}",
    (context) => withToken(context, () => tellFile(simulator, context)),
  );
  app.get("/files/:id", (context) =>
    withToken(context, () => {
      const file = simulator.files.get(context.req.param("id"));
      return file === undefined
        ? new Response(null, { status: 404 })
        : answerFile(file, context.req.raw.headers);
    }));
  return app;
}

async function withToken(
  context: Context,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  return readBearerToken(context.req.raw) === undefined
    ? refuseGraph(invalidToken)
    : await answer();
}

async function takeFile({ files }: SimulatorContext, request: Request): Promise<Response> {
  const form = await request.formData().catch(() => null);
  const file = form?.get("file");
  if (form?.get("messaging_product") !== "whatsapp") return refuse("messaging_product");
  if (!(file instanceof File)) return refuse("file");
  const kind = file.type === "image/webp" ? "image" : kindOfUpload(file.type);
  // What Meta's refusal lists: everything that can be uploaded to us but WAV and CSV, and stickers.
  const isRefused = ["audio/wav", "text/csv"].includes(file.type);
  if (kind === null || isRefused || file.size > maxBytesOfKind[kind]) {
    return refuseGraph({ ...describeFault(131053), details: "Unsupported type or size of media." });
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  return Response.json({ id: files.add({ bytes, mimeType: file.type, fileName: file.name }).id });
}

function refuse(parameter: string): Response {
  const details = `The parameter ${parameter} is required.`;
  return refuseGraph({ status: 400, code: 100, title: details, details });
}

function tellFile({ files, store }: SimulatorContext, context: Context): Response {
  const id = context.req.param("mediaId") ?? "";
  const file = files.get(id);
  if (file !== undefined) return Response.json(describeMedia(file, context.req.raw));
  // A reply may name any address: nothing is known of the file behind it.
  const url = findReplyAddress(store, id);
  if (url === undefined) return refuseGraph(unknownObject);
  return Response.json({ messaging_product: "whatsapp", id, url });
}

interface CloudMedia {
  readonly messaging_product: "whatsapp";
  readonly id: string;
  readonly url: string;
  readonly mime_type: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** In bytes. */
  readonly file_size: number;
}

function describeMedia(file: SimulatedFile, request: Request): CloudMedia {
  return {
    messaging_product: "whatsapp",
    id: file.id,
    url: `${new URL(request.url).origin}/simulator/graph/files/${file.id}`,
    mime_type: file.mimeType,
    sha256: file.sha256,
    file_size: file.bytes.byteLength,
  };
}

function findReplyAddress({ logs }: SimulatorContext["store"], id: string): string | undefined {
  const [reply] = logs.replies.read({
    matches: ({ providerMessageId }) => `media-${providerMessageId}` === id,
    limit: 1,
  }).items;
  return reply !== undefined && "mediaUrl" in reply.content ? reply.content.mediaUrl : undefined;
}

const unknownObject: GraphError = {
  status: 400,
  code: 100,
  subcode: 33,
  title: "Unsupported get request.",
  details: "The object does not exist, or it does not support this operation.",
};
