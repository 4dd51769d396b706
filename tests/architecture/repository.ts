/** Reads the repository for the architecture tests: files as text, folders as names. */

import { parseSourceFile, type SourceFile } from "./source_file.ts";

export interface TextFile {
  /** Relative to the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

const root = new URL("../../", import.meta.url);
const textFileName = /(?:\.(?:ts|js|mjs|json|md|sql|toml|ya?ml|html|sh|env\.example)|^[^.]+)$/;
const skippedFolder = /^(?:node_modules|dist|\.local|\.temp|\.branches)$/;

/** Every TypeScript file under these folders, parsed. A folder that does not exist holds none. */
export async function readSourceFiles(...folders: readonly string[]): Promise<SourceFile[]> {
  const files = await readTextFiles(...folders);
  return files.filter(({ path }) => path.endsWith(".ts")).map(parseOnce);
}

/** The files that this isolate has parsed. No test changes a file of the repository. */
const parsed = new Map<string, SourceFile>();

function parseOnce({ path, text }: TextFile): SourceFile {
  let file = parsed.get(path);
  if (file === undefined) parsed.set(path, file = parseSourceFile(path, text));
  return file;
}

/** Every text file at or under these paths, links not followed, in the order of their paths. */
export async function readTextFiles(...paths: readonly string[]): Promise<TextFile[]> {
  const texts = (await listFiles(...paths)).filter((path) =>
    textFileName.test(path.split("/").at(-1) ?? "")
  );
  return await Promise.all(texts.map(async (path) => ({ path, text: await readText(path) })));
}

/** The sorted paths of every file at or under these paths, links not followed. */
export async function listFiles(...paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(listFilesAt));
  return found.flat().sort();
}

/** The text of one file; empty when it does not exist. */
export async function readText(path: string): Promise<string> {
  return await orElse("", () => Deno.readTextFile(new URL(path, root)));
}

/** The sorted names in a folder (through a link, if it is one); none when it does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  const entries = await orElse([], () => Array.fromAsync(Deno.readDir(new URL(folder, root))));
  return entries.map(({ name }) => name).sort();
}

/** The sorted names of the folders in a folder; none when it does not exist. */
export async function listFolders(folder: string): Promise<string[]> {
  const entries = await orElse([], () => Array.fromAsync(Deno.readDir(new URL(folder, root))));
  return entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name).sort();
}

/** Whether the path itself is a symbolic link. */
export async function isSymlink(path: string): Promise<boolean> {
  return await orElse(false, async () => (await Deno.lstat(new URL(path, root))).isSymlink);
}

async function listFilesAt(path: string): Promise<string[]> {
  const info = await orElse(null, () => Deno.lstat(new URL(path, root)));
  if (info?.isFile === true) return [path];
  if (info?.isDirectory !== true) return [];
  const names = (await listNames(path)).filter((name) => !skippedFolder.test(name));
  const found = await Promise.all(names.map((name) => listFilesAt(`${path}/${name}`)));
  return found.flat();
}

async function orElse<T>(absent: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return absent;
    }
    throw error;
  }
}
