/** The body of an upload: a form with the file, or JSON with its URL. */
import type { Context } from "hono";
import { type JsonObject, readJsonBody } from "../../shared/http/json_body.ts";
import { AppError } from "../../shared/model/errors.ts";
import { openBody } from "../../shared/http/request_body.ts";
import { openParts } from "../../shared/runtime/body_blocks.ts";
import { maxFormBytes, type MultipartFile, readMultipartFile } from "./multipart_file.ts";

/** Forms whose file has begun to arrive, by the body that stands for them. */
const forms = new WeakMap<JsonObject, MultipartFile>();

/**
 * Reads a JSON body, or a form up to its file. The result holds what names the instance.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `invalid_json`, `invalid_request`.
 */
export async function readUploadBody(context: Context): Promise<JsonObject> {
  const contentType = context.req.header("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return await readJson(context);
  const declared = Number(context.req.header("content-length") ?? "0");
  if (declared > maxFormBytes) throw new AppError("payload_too_large", { message: tooLarge });
  const sender = openBody(context.req.raw) ?? openParts(new Blob().stream());
  const form = await readMultipartFile(sender, contentType);
  const body: JsonObject = { ...form.fields };
  forms.set(body, form);
  return body;
}

/** The form of a body; null for JSON. */
export function findForm(body: JsonObject): MultipartFile | null {
  return forms.get(body) ?? null;
}

async function readJson(context: Context): Promise<JsonObject> {
  try {
    return await readJsonBody(context);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unsupported_media_type") throw error;
    throw new AppError("unsupported_media_type", {
      message:
        "Send a file as multipart/form-data in the field file, or its url as application/json.",
    });
  }
}

const tooLarge = "The file is too large: 100 MB at most, and less for pictures, audio and video.";
