/**
 * A server that behaves as the Storage API of a Supabase project does, as far as files go: upload with
 * `x-upsert`, download, removal and signed URLs of a private bucket. Its forms are those of
 * supabase/storage (src/http/routes/object) and what Storage API 1.70.6 was seen to answer: a missing file,
 * and a wrong key on a download, are 400 with 404 inside; an ended or altered link is 400 InvalidJWT; a
 * streamed upload has no length, so that no limit holds for it; links carry no header against sniffing.
 */

import { startTestServer } from "./test_server.ts";
export interface StorageServer extends AsyncDisposable {
  readonly url: string;
  readonly secretKey: string;
  /** Complete files by path, with the type that they were stored as. */
  readonly files: Map<string, StoredObject>;
  /** Whether the bucket is there, as it is not after a restore of the database alone. */
  hasBucket: boolean;
  /** How many bytes of bodies it has read. */
  readBytes(): number;
  /** The parts of files that it was asked for, as `Range` names them. */
  readonly ranges: string[];
  /** Answers everything with this status until it is null again. */
  failWith(status: number | null): void;
  /** Calls that it answers no more until the function it returns is called. */
  hold(): () => void;
}

interface StoredObject {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly cacheControl: string;
}

const bucket = "messaging-media";

/** Starts the server. `keepsFiles: false` reads and drops what is uploaded. */
export function startStorageServer({ keepsFiles = true } = {}): StorageServer {
  const secretKey = `sb_secret_${crypto.randomUUID().replaceAll("-", "")}`;
  const files: StorageServer["files"] = new Map();
  const signatures = new Map<string, { readonly path: string; readonly endsAt: number }>();
  let readBytes = 0;
  const ranges: string[] = [];
  let failure: number | null = null;
  let held: Promise<void> = Promise.resolve();

  const upload = async (request: Request, path: string): Promise<Response> => {
    if (files.has(path) && request.headers.get("x-upsert") !== "true") {
      return refuse(400, "409", "The resource already exists");
    }
    const parts: Uint8Array[] = [];
    for await (const part of request.body ?? []) {
      readBytes += part.byteLength;
      if (keepsFiles) parts.push(part);
    }
    const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
    const { headers } = request;
    files.set(path, {
      bytes,
      contentType: headers.get("content-type") ?? "",
      cacheControl: headers.get("cache-control") ?? "no-cache",
    });
    return Response.json({ Id: crypto.randomUUID(), Key: `${bucket}/${path}` });
  };

  const handle = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = decodeURIComponent(url.pathname);
    await held;
    if (failure !== null) {
      await request.body?.cancel().catch(() => {});
      return refuse(failure, String(failure), "no");
    }
    const signed = path.match(/^\/storage\/v1\/object\/sign\/[^/]+\/(.+)$/)?.[1];
    const isReading = request.method === "GET" || request.method === "HEAD";
    if (isReading && signed !== undefined) {
      const known = signatures.get(url.searchParams.get("token") ?? "");
      if (known?.path !== signed || known.endsAt < Date.now()) {
        return refuse(400, "InvalidJWT", "signature verification failed");
      }
      return serve(files.get(signed), request, url.searchParams.get("download"));
    }
    const isAllowed = request.headers.get("authorization") === `Bearer ${secretKey}`;
    if (url.pathname === `/storage/v1/bucket/${bucket}`) {
      return isAllowed && server.hasBucket
        ? Response.json({ id: bucket, name: bucket, public: false })
        : refuse(400, "404", "Bucket not found");
    }
    const object = path.match(/^\/storage\/v1\/object\/(?:info\/)?messaging-media\/(.+)$/)?.[1];
    if (!isAllowed) {
      await request.body?.cancel().catch(() => {});
      return isReading
        ? refuse(400, "404", "Object not found")
        : refuse(403, "403", "Unauthorized");
    }
    if (request.method === "POST" && signed !== undefined) {
      if (!files.has(signed)) return refuse(400, "404", "Object not found");
      const { expiresIn } = await request.json();
      const token = crypto.randomUUID();
      signatures.set(token, { path: signed, endsAt: Date.now() + expiresIn * 1_000 });
      return Response.json({ signedURL: `/object/sign/${bucket}/${signed}?token=${token}` });
    }
    if (object !== undefined && request.method === "POST") return await upload(request, object);
    if (object !== undefined && path.includes("/object/info/")) {
      return files.has(object)
        ? Response.json({ name: object })
        : refuse(400, "404", "Object not found");
    }
    if (object !== undefined && isReading) {
      ranges.push(request.headers.get("range") ?? "whole");
      return serve(files.get(object), request, null);
    }
    if (request.method === "DELETE") {
      const { prefixes } = await request.json() as { prefixes: string[] };
      return Response.json(
        prefixes.filter((name) => files.delete(name)).map((name) => ({ name })),
      );
    }
    return refuse(404, "404", "no such route");
  };

  const listening = startTestServer(handle, { onError: () => refuse(500, "500", "x") });
  const server: StorageServer = {
    url: listening.origin,
    secretKey,
    files,
    hasBucket: true,
    readBytes: () => readBytes,
    ranges,
    failWith: (status) => failure = status,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
  return server;
}

function refuse(status: number, statusCode: string, message: string): Response {
  return Response.json({ statusCode, error: message, message }, { status });
}

function serve(
  file: StoredObject | undefined,
  request: Request,
  download: string | null,
): Response {
  if (file === undefined) return refuse(400, "404", "Object not found");
  const { bytes } = file;
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "");
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(Number(range?.[2] || bytes.length - 1), bytes.length - 1);
  if (start >= bytes.length && range !== null) return refuse(416, "416", "Range not satisfiable");
  const encoded = encodeURIComponent(download ?? "");
  const headers = {
    "content-type": file.contentType,
    "cache-control": file.cacheControl,
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end}/${bytes.length}` }),
    ...(download === null ? {} : {
      "content-disposition": `attachment; filename=${encoded}; filename*=UTF-8''${encoded};`,
    }),
  };
  const body = request.method === "HEAD" ? null : bytes.slice(start, end + 1);
  return new Response(body, { status: range === null ? 200 : 206, headers });
}
