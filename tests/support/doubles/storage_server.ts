/**
 * A server that behaves as the Storage API of a Supabase project does, as far as files go: upload with
 * `x-upsert`, download, removal and signed URLs of a private bucket. Its forms are those of
 * supabase/storage (src/http/routes/object): a missing file is 400 with 404 inside.
 */

import { startTestServer } from "./test_server.ts";
export interface StorageServer extends AsyncDisposable {
  readonly url: string;
  readonly secretKey: string;
  /** Complete files by path, with the type that they were stored as. */
  readonly files: Map<string, { readonly bytes: Uint8Array; readonly contentType: string }>;
  /** How many bytes of bodies it has read. */
  readBytes(): number;
  /** Answers everything with this status until it is null again. */
  failWith(status: number | null): void;
  /** Calls that it answers no more until the function it returns is called. */
  hold(): () => void;
}

const bucket = "messaging-media";

/** Starts the server. `keepsFiles: false` reads and drops what is uploaded. */
export function startStorageServer({ keepsFiles = true } = {}): StorageServer {
  const secretKey = `sb_secret_${crypto.randomUUID().replaceAll("-", "")}`;
  const files: StorageServer["files"] = new Map();
  const signatures = new Map<string, { readonly path: string; readonly endsAt: number }>();
  let readBytes = 0;
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
    files.set(path, { bytes, contentType: request.headers.get("content-type") ?? "" });
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
    if (request.method === "GET" && signed !== undefined) {
      const known = signatures.get(url.searchParams.get("token") ?? "");
      if (known?.path !== signed || known.endsAt < Date.now()) {
        return refuse(400, "400", "invalid signature");
      }
      return serve(files.get(signed), url.searchParams.get("download"));
    }
    if (request.headers.get("authorization") !== `Bearer ${secretKey}`) {
      await request.body?.cancel().catch(() => {});
      return refuse(403, "403", "Unauthorized");
    }
    if (request.method === "POST" && signed !== undefined) {
      if (!files.has(signed)) return refuse(400, "404", "Object not found");
      const { expiresIn } = await request.json();
      const token = crypto.randomUUID();
      signatures.set(token, { path: signed, endsAt: Date.now() + expiresIn * 1_000 });
      return Response.json({ signedURL: `/object/sign/${bucket}/${signed}?token=${token}` });
    }
    const object = path.match(/^\/storage\/v1\/object\/messaging-media\/(.+)$/)?.[1];
    if (object !== undefined && request.method === "POST") return await upload(request, object);
    if (object !== undefined && request.method === "GET") return serve(files.get(object), null);
    if (request.method === "DELETE") {
      const { prefixes } = await request.json() as { prefixes: string[] };
      return Response.json(
        prefixes.filter((name) => files.delete(name)).map((name) => ({ name })),
      );
    }
    return refuse(404, "404", "no such route");
  };

  const server = startTestServer(handle, { onError: () => refuse(500, "500", "x") });
  return {
    url: server.origin,
    secretKey,
    files,
    readBytes: () => readBytes,
    failWith: (status) => failure = status,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function refuse(status: number, statusCode: string, message: string): Response {
  return Response.json({ statusCode, error: message, message }, { status });
}

function serve(
  file: { readonly bytes: Uint8Array; readonly contentType: string } | undefined,
  download: string | null,
): Response {
  if (file === undefined) return refuse(400, "404", "Object not found");
  return new Response(file.bytes as BodyInit, {
    headers: {
      "content-type": file.contentType,
      ...(download === null ? {} : { "content-disposition": `attachment; filename=${download}` }),
    },
  });
}
