/** One contract for every storage of files, run against each of them. */
import { createFolderStorage } from "../../shared/media/folder_storage.ts";
import { type MediaStorage, StorageError } from "../../shared/media/storage.ts";
import { createSupabaseStorage } from "../../shared/media/supabase_storage.ts";
import { assert, assertEquals, assertRejects } from "../support/assert.ts";
import { startStorageServer } from "../support/doubles/storage_server.ts";

interface OpenStorage extends AsyncDisposable {
  readonly storage: MediaStorage;
  /** The files that lie there, complete or not. */
  count(): Promise<number>;
  fail(): Promise<void>;
}

const storages: Readonly<Record<string, () => Promise<OpenStorage>>> = {
  "a folder": async () => {
    const folder = await Deno.makeTempDir();
    return {
      storage: createFolderStorage(folder),
      count: () => countFiles(folder),
      // A file where the folder should be: works as root too.
      fail: async () => {
        await Deno.remove(folder, { recursive: true });
        await Deno.writeTextFile(folder, "");
      },
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
  },
  "Supabase Storage": () => {
    const server = startStorageServer();
    return Promise.resolve({
      storage: createSupabaseStorage(server),
      count: () => Promise.resolve(server.files.size),
      fail: () => Promise.resolve(server.failWith(503)),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    });
  },
};

const newPath = (): string => `${crypto.randomUUID()}/${crypto.randomUUID()}`;
const options = { contentType: "application/pdf" };

for (const [name, open] of Object.entries(storages)) {
  Deno.test(`${name}: a stored file is read as it was given, and replaced as a whole`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const [path, other] = [newPath(), newPath()];
    await storage.put(path, streamOf("first ", "version"), options);
    await storage.put(other, streamOf("other"), options);
    assertEquals(await read(storage, path), "first version");
    await storage.put(path, streamOf("second"), options);
    assertEquals(await read(storage, path), "second");
    assertEquals(await read(storage, other), "other");
    assertEquals(await opened.count(), 2);
  });

  Deno.test(`${name}: a part of a file is read alone, to the byte`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const path = newPath();
    await storage.put(path, streamOf("0123456789"), options);
    for (const [start, end] of [[0, 1], [3, 7], [9, 10], [0, 10]] as const) {
      const content = await storage.open(path, { start, end });
      assertEquals(await new Response(content).text(), "0123456789".slice(start, end));
    }
    assertEquals(await storage.open(newPath(), { start: 0, end: 1 }), null);
  });

  Deno.test(`${name}: a body that fails leaves nothing, and its error is told`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const path = newPath();
    class Fault extends Error {}
    const failing = (): ReadableStream<Uint8Array<ArrayBuffer>> => {
      let isFirst = true;
      return new ReadableStream({
        pull(controller): void {
          if (isFirst) controller.enqueue(new Uint8Array(100_000));
          else throw new Fault("source");
          isFirst = false;
        },
      }, { highWaterMark: 0 });
    };
    await assertRejects(() => storage.put(path, failing(), options), Fault);
    assertEquals(await storage.open(path), null);
    await storage.put(path, streamOf("whole"), options);
    await assertRejects(() => storage.put(path, failing(), options), Fault);
    assertEquals(await read(storage, path), "whole");
    assertEquals(await opened.count(), 1);
  });

  Deno.test(`${name}: an ended call stores nothing`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const path = newPath();
    const abort = new AbortController();
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller): void {
        controller.enqueue(new Uint8Array(10_000));
        abort.abort(new Error("over"));
      },
    }, { highWaterMark: 0 });
    await assertRejects(() => storage.put(path, endless, { ...options, signal: abort.signal }));
    assertEquals(await storage.open(path), null);
    assertEquals(await opened.count(), 0);
  });

  Deno.test(`${name}: deleted files are gone, and missing ones are no error`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const [path, other, missing] = [newPath(), newPath(), newPath()];
    await storage.put(path, streamOf("a"), options);
    await storage.put(other, streamOf("b"), options);
    await storage.delete([path, missing]);
    await storage.delete([]);
    assertEquals(await storage.open(path), null);
    assertEquals(await read(storage, other), "b");
    await storage.delete([path, other]);
    assertEquals(await opened.count(), 0);
  });

  Deno.test(`${name}: a file is there from its storing to its deletion`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const path = newPath();
    assertEquals(await storage.has(path), false);
    await storage.put(path, streamOf("a"), options);
    assertEquals(await storage.has(path), true);
    await storage.delete([path]);
    assertEquals(await storage.has(path), false);
  });

  Deno.test(`${name}: a storage that is away says so`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const path = newPath();
    await storage.put(path, streamOf("a"), options);
    await opened.fail();
    for (
      const call of [
        () => storage.put(path, streamOf("b"), options),
        () => storage.open(path),
        () => storage.has(path),
        () => storage.delete([path]),
      ]
    ) {
      const error = await assertRejects(call, StorageError);
      assertEquals((error as StorageError).reason, "unavailable");
    }
  });

  Deno.test(`${name}: a path that leads elsewhere is refused`, async () => {
    await using opened = await open();
    const { storage } = opened;
    for (const path of ["../../etc/passwd", "a/../../b", `${newPath()}/..`, "", "/"]) {
      await assertRejects(() => storage.open(path), Error);
      await assertRejects(() => storage.delete([path]), Error);
    }
  });

  Deno.test(`${name}: its own links serve the file without a key`, async () => {
    await using opened = await open();
    const { storage } = opened;
    const path = newPath();
    await storage.put(path, streamOf("linked"), options);
    const link = await storage.sign(path, { expiresInSeconds: 60, downloadName: null });
    if (link === null) return; // media-api serves the file.
    const response = await fetch(link);
    assertEquals([response.headers.get("content-type"), await response.text()], [
      "application/pdf",
      "linked",
    ]);
    const saved = await storage.sign(path, { expiresInSeconds: 60, downloadName: "nota.pdf" });
    const answer = await fetch(saved ?? "");
    await answer.body?.cancel();
    assert(answer.headers.get("content-disposition")?.startsWith("attachment"));
  });
}

Deno.test({
  name: "a folder: for the last byte of a file of 95 MB nothing of the rest is read",
  // Where the system counts what a process reads.
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const storage = createFolderStorage(folder);
      const path = newPath();
      await storage.put(path, streamOf("x"), options);
      const size = 95_000_000;
      await Deno.truncate(`${folder}/${path}/content`, size);
      const before = await countReadBytes();
      const content = await storage.open(path, { start: size - 1, end: size });
      assertEquals((await new Response(content).bytes()).length, 1);
      const read = await countReadBytes() - before;
      assert(read < 1_000_000, `${read} bytes are read`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

async function countReadBytes(): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await Deno.readTextFile("/proc/self/io"))?.[1]);
}

Deno.test("Supabase Storage: for a part of a file the part alone is asked for", async () => {
  await using server = startStorageServer();
  const storage = createSupabaseStorage(server);
  const path = newPath();
  await storage.put(path, new Blob([new Uint8Array(1_000_000)]).stream(), options);
  const content = await storage.open(path, { start: 999_999, end: 1_000_000 });
  assertEquals((await new Response(content).bytes()).length, 1);
  assertEquals(server.ranges, ["bytes=999999-999999"]);
});

Deno.test("a folder: a file is on the disk, under its name, before it counts as stored", async () => {
  const folder = await Deno.makeTempDir();
  const storage = createFolderStorage(folder);
  const { sync } = Deno.FsFile.prototype;
  let synced = 0;
  const path = newPath();
  try {
    Deno.FsFile.prototype.sync = async function (): Promise<void> {
      const content = await storage.open(path);
      assertEquals(await new Response(content).text(), "abc");
      await sync.call(this);
      synced += 1;
    };
    await storage.put(path, new Blob(["abc"]).stream(), { contentType: "text/plain" });
  } finally {
    Deno.FsFile.prototype.sync = sync;
    await Deno.remove(folder, { recursive: true });
  }
  assertEquals(synced, 1);
});

Deno.test("Supabase Storage: without the project's key nothing is read or written", async () => {
  await using server = startStorageServer();
  const path = newPath();
  await createSupabaseStorage(server).put(path, streamOf("a"), options);
  const stranger = createSupabaseStorage({ url: server.url, secretKey: "another" });
  const error = await assertRejects(() => stranger.open(path), StorageError);
  assertEquals((error as StorageError).reason, "refused");
  await assertRejects(() => stranger.put(path, streamOf("b"), options), StorageError);
});

Deno.test("Supabase Storage: a link to a lost file is refused as missing, and one of a lost bucket or a wrong key is not", async () => {
  await using server = startStorageServer();
  const reasonOf = async (storage: MediaStorage): Promise<string> => {
    const signing = { expiresInSeconds: 60, downloadName: null };
    const error = await assertRejects(() => storage.sign(newPath(), signing), StorageError);
    return (error as StorageError).reason;
  };
  assertEquals(await reasonOf(createSupabaseStorage(server)), "missing");
  const stranger = createSupabaseStorage({ url: server.url, secretKey: "another" });
  assertEquals(await reasonOf(stranger), "refused");
  server.hasBucket = false;
  const storage = createSupabaseStorage(server);
  assertEquals(await reasonOf(storage), "refused");
  for (const call of [() => storage.open(newPath()), () => storage.has(newPath())]) {
    const error = await assertRejects(call, StorageError);
    assertEquals((error as StorageError).reason, "refused");
  }
});

Deno.test("Supabase Storage: a file is saved under its name with accents, and kept by no shared cache", async () => {
  await using server = startStorageServer();
  const storage = createSupabaseStorage(server);
  const path = newPath();
  await storage.put(path, streamOf("a"), options);
  const link = await storage.sign(path, {
    expiresInSeconds: 60,
    downloadName: "relatório & 1.pdf",
  });
  const { headers, body } = await fetch(link ?? "");
  await body?.cancel();
  const name = encodeURIComponent("relatório & 1.pdf");
  assertEquals(
    headers.get("content-disposition"),
    `attachment; filename=${name}; filename*=UTF-8''${name};`,
  );
  assertEquals(headers.get("cache-control"), "max-age=3600, private");
});

Deno.test("Supabase Storage: a file above the project's own limit is too large", async () => {
  await using server = startStorageServer();
  server.failWith(413);
  const storage = createSupabaseStorage(server);
  const error = await assertRejects(
    () => storage.put(newPath(), streamOf("a"), options),
    StorageError,
  );
  assertEquals((error as StorageError).reason, "too_large");
});

function streamOf(...texts: string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(texts.map((text) => new TextEncoder().encode(text)));
}

async function read(storage: MediaStorage, path: string): Promise<string | null> {
  const body = await storage.open(path);
  return body === null ? null : await new Response(body).text();
}

async function countFiles(folder: string): Promise<number> {
  let count = 0;
  for await (const entry of Deno.readDir(folder)) {
    count += entry.isDirectory ? await countFiles(`${folder}/${entry.name}`) : 1;
  }
  return count;
}
