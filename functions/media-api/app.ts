import type { Context, Hono } from "hono";
import type { Database } from "../../shared/database/database.ts";
import {
  type ClientContext,
  createClientTokenGuard,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { readIdempotency } from "../../shared/http/idempotency.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { listRangeHeaders, readByteRange } from "../../shared/media/byte_range.ts";
import type { FetchedFile } from "../../shared/media/fetch_file.ts";
import type { MediaLinks } from "../../shared/media/links.ts";
import { downloadNameOf } from "../../shared/media/served_type.ts";
import { type MediaStorage, StorageError } from "../../shared/media/storage.ts";
import { AppError } from "../../shared/model/errors.ts";
import { findUrlProblem } from "../../shared/model/public_url.ts";
import type { Log } from "../../shared/runtime/log.ts";
import {
  linkQuerySchema,
  mediaIdSchema,
  readMediaSchema,
  uploadMediaSchema,
  uploadResponseSchema,
} from "./contract.ts";
import type { MultipartFile } from "./multipart_file.ts";
import { findForm, readUploadBody } from "./read_upload.ts";
import {
  listFileHeaders,
  requireStored,
  type StoredMedia,
  toServingRefusal,
} from "./serve_media.ts";
import { storeUpload, toRefusal } from "./store_upload.ts";

export interface MediaApiServices {
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly links: MediaLinks;
  /** Fetches an upload from its URL. @throws {MediaFault} */
  readonly fetchUpload: (url: string) => Promise<FetchedFile>;
  readonly allowsPrivateHosts: boolean;
  readonly log: Log;
}

/** How long the URL works that a reading with a token is led to. */
const readingSeconds = 3_600;

/** /functions/v1/media-api: files that callers upload, and files of messages. */
export function createMediaApiApp(services: MediaApiServices): Hono {
  const { database, log } = services;
  const uploading = createClientTokenGuard(database, { readBody: readUploadBody });
  const reading = createClientTokenGuard(database);
  return createApp({
    slug: "media-api",
    log,
    database,
    routes: [
      {
        method: "POST",
        path: "/media",
        handlers: [uploading, (context: ClientContext) => upload(services, context)],
      },
      {
        method: "GET",
        path: "/media/:mediaId",
        query: readMediaSchema,
        handlers: [reading, (context: ClientContext) => redirect(services, context)],
      },
      {
        method: "GET",
        path: "/links/:mediaId/:name?",
        query: linkQuerySchema,
        // A link that is passed on may have parameters added to it.
        ignoresParameters: true,
        handlers: [(context: Context) => follow(services, context)],
      },
    ],
  });
}

async function upload(services: MediaApiServices, context: ClientContext): Promise<Response> {
  const body = context.get("body");
  const form = findForm(body);
  return form === null
    ? await uploadFromUrl(services, context)
    : await uploadForm(services, context, form);
}

async function uploadForm(
  services: MediaApiServices,
  context: ClientContext,
  form: MultipartFile,
): Promise<Response> {
  const { instanceId } = await cancelingUnless(form, () => requireInstance(context));
  const { fileName, contentType } = form;
  const recorded = await storeUpload(services, {
    instanceId,
    field: "file",
    source: { body: form.body, contentType, fileName, contentLength: null },
    readIdempotency: (facts) =>
      readIdempotency(context, context.get("tokenId"), { fileName, contentType, ...facts }),
    checkRest: () => {
      if (context.get("isForeign")?.(form.fields)) throw new AppError("Instance not found");
    },
  });
  // A form has the file in the place of its URL.
  context.set("ignoredFields", Object.keys(form.fields).filter((field) => field !== "instanceId"));
  return answerRecorded(context, uploadResponseSchema, recorded, 201);
}

async function uploadFromUrl(
  services: MediaApiServices,
  context: ClientContext,
): Promise<Response> {
  const { allowsPrivateHosts, database } = services;
  const { url } = validateBody(context, uploadMediaSchema, context.get("body"), (request) => {
    const given = request["url"];
    if (typeof given !== "string" || given === "") return [];
    const message = findUrlProblem(given, { field: "url", allowsPrivateHosts });
    return message === null ? [] : [{ path: "url", message }];
  });
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  if (idempotency !== null) {
    const known = await database.rpc("recall_upload", { idempotency });
    if (known.replayed !== undefined) {
      const { outcome } = known.replayed;
      return answerRecorded(context, uploadResponseSchema, { outcome, isReplay: true }, 201);
    }
  }
  const fetched = await services.fetchUpload(url).catch((error) => {
    throw toRefusal(error, "url");
  });
  const recorded = await storeUpload(services, {
    instanceId,
    field: "url",
    source: { ...fetched, fileName: nameOf(url) },
    readIdempotency: () => Promise.resolve(idempotency),
    checkRest: () => {},
  });
  return answerRecorded(context, uploadResponseSchema, recorded, 201);
}

async function redirect(services: MediaApiServices, context: ClientContext): Promise<Response> {
  validate(readMediaSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const media = await findMedia(services, context.req.param("mediaId"), instanceId);
  const url = await signStored(services, media, readingSeconds) ??
    services.links.create(media.mediaId, readingSeconds);
  return context.body(null, 302, { Location: url, "Cache-Control": "no-store" });
}

/** A link of ours needs no token: its signature is what opens the file. */
async function follow(services: MediaApiServices, context: Context): Promise<Response> {
  const { links, storage } = services;
  const mediaId = context.req.param("mediaId") ?? "";
  const expiresAtMs = links.verify(mediaId, validate(linkQuerySchema, context.req.query()));
  if (expiresAtMs === null) throw new AppError("invalid_media_link");
  const media = await findMedia(services, mediaId, null);
  const seconds = Math.min(readingSeconds, Math.ceil((expiresAtMs - Date.now()) / 1_000));
  const url = await signStored(services, media, seconds);
  if (url !== null) {
    return context.body(null, 302, { Location: url, "Cache-Control": "no-store" });
  }
  const headers = listFileHeaders(media);
  const range = readByteRange(context.req.raw.headers, media.size);
  const content = await storage.open(media.storagePath, range ?? undefined).catch((error) => {
    throw toServingRefusal(error);
  });
  if (content === null) throw await refuseLost(services, media);
  if (context.req.method === "HEAD") {
    await content.cancel();
    return context.body(null, 200, headers);
  }
  return range === null
    ? context.body(content, 200, headers)
    : context.body(content, 206, { ...headers, ...listRangeHeaders(range) });
}

async function findMedia(
  { database }: MediaApiServices,
  mediaId: string | undefined,
  instanceId: string | null,
): Promise<StoredMedia> {
  const id = mediaIdSchema.safeParse(mediaId);
  if (!id.success) throw new AppError("media_not_found");
  return requireStored(await database.rpc("get_media", { mediaId: id.data, instanceId }));
}

async function signStored(
  services: MediaApiServices,
  media: StoredMedia,
  expiresInSeconds: number,
): Promise<string | null> {
  try {
    return await services.storage.sign(media.storagePath, {
      expiresInSeconds,
      downloadName: downloadNameOf(media),
    });
  } catch (error) {
    if (error instanceof StorageError && error.reason === "missing") {
      throw await refuseLost(services, media);
    }
    throw toServingRefusal(error);
  }
}

/** The storage no longer has the file: from now on its row says so. */
async function refuseLost(
  { database }: MediaApiServices,
  { mediaId }: StoredMedia,
): Promise<AppError> {
  await database.rpc("expire_lost_media", { mediaId });
  const { lastError } = await database.rpc("get_media", { mediaId, instanceId: null });
  return new AppError("media_expired", { body: { details: lastError } });
}

/** The name of a URL's file, which may tell the type that its content leaves open. */
function nameOf(url: string): string | null {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last || null;
  }
}

/** A refused form's connection must not wait for a reader. */
async function cancelingUnless<Result>(form: MultipartFile, work: () => Result): Promise<Result> {
  try {
    return work();
  } catch (error) {
    await form.body.cancel(error).catch(() => {});
    throw error;
  }
}
