/**
 * The simulator's records in a file, so that what was sent and answered is there after a restart. The file
 * holds one line of JSON for each change of the store, after a first line with its format.
 */
import { dirname } from "node:path";
import {
  type LogName,
  logNames,
  type RecordKinds,
  type Store,
  type StoreEntry,
  type StoreEvent,
} from "./store.ts";

/** Raised when a record of an earlier version cannot be shown any more: it is then left out. */
const firstLine = JSON.stringify({ format: 1 });
/** Most bytes that are kept, and that are appended before the file is written anew. */
const mostBytes = 32 * 2 ** 20;

/** Reads the records of a file in the order of their numbers; none where there is no file of this format. */
export async function readHistory(file: string): Promise<StoreEntry[]> {
  const text = await Deno.readTextFile(file).catch(() => "");
  const [format, ...lines] = text.split("\n");
  if (format !== firstLine) return [];
  const logs = new Map<LogName, StoreEntry[]>(logNames.map((kind) => [kind, []]));
  for (const { kind, record } of lines.flatMap(parseLine)) {
    if (record === undefined) logs.set(kind, []);
    else logs.get(kind)?.push({ kind, record });
  }
  return [...logs.values()].flat().sort((one, other) => one.record.seq - other.record.seq);
}

interface HistoryLine {
  readonly kind: LogName;
  /** Absent where the log was emptied. */
  readonly record?: RecordKinds[LogName];
}

/** Nothing for a line that a killed process has left unfinished, and for a log that is no more. */
function parseLine(line: string): HistoryLine[] {
  try {
    const parsed: HistoryLine = JSON.parse(line);
    return logNames.includes(parsed.kind) ? [parsed] : [];
  } catch {
    return [];
  }
}

/** The writing of a file. */
export interface HistoryFile {
  /** Resolves when all changes until now are in the file. */
  close(): Promise<void>;
}

/**
 * Writes the store's records to the file, then appends every change within the same turn of the event loop.
 * A failed write, of a full disk, is not repeated: the file then lacks these changes until the next start.
 */
export async function keepHistory(store: Store, file: string): Promise<HistoryFile> {
  let waiting: string[] = [];
  let appendedBytes = 0;
  await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
  let writing = rewrite(store, file);
  const flush = async (): Promise<void> => {
    const text = waiting.join("");
    waiting = [];
    if (text === "") return;
    appendedBytes += text.length;
    if (appendedBytes <= mostBytes) return await Deno.writeTextFile(file, text, { append: true });
    appendedBytes = 0;
    await rewrite(store, file);
  };
  const unsubscribe = store.subscribe((event) => {
    const line = writeLine(event);
    if (line === null) return;
    waiting.push(line);
    if (waiting.length === 1) writing = writing.then(flush).catch(() => {});
  });
  await writing;
  return {
    close: async () => {
      unsubscribe();
      await writing;
    },
  };
}

function writeLine(event: StoreEvent): string | null {
  if (event.type === "faults_changed") return null;
  const { kind } = event;
  const line = event.type === "cleared" ? { kind } : { kind, record: event.record };
  return `${JSON.stringify(line)}\n`;
}

/** Replaces the file at once, so that a killed process leaves one of the two whole. */
async function rewrite(store: Store, file: string): Promise<void> {
  const newestFirst = store.list().reverse().map((entry) => `${JSON.stringify(entry)}\n`);
  let bytes = 0;
  const kept = newestFirst.filter((line) => (bytes += line.length) <= mostBytes).reverse();
  const draft = `${file}.new`;
  await Deno.writeTextFile(draft, `${firstLine}\n${kept.join("")}`, { mode: 0o600 });
  await Deno.rename(draft, file);
}
