/**
 * Loads test files once and runs single tests of them on request: a child process of test_process.ts, which
 * writes one request a line to its stdin. Loading took most of the time of a run of one test. Sanitizers are
 * off, as a broken rule may leave anything behind.
 */

import { TextLineStream } from "./text_lines.ts";

/** What a test is, where it is loaded. */
export interface LoadedTest {
  readonly id: number;
  readonly name: string;
  readonly file: string;
  /** The text of its function. */
  readonly source: string;
}

export type WorkerRequest =
  | { readonly load: readonly { readonly file: string; readonly url: string }[] }
  | { readonly run: number; readonly environment: Readonly<Record<string, string>> };

export type WorkerAnswer =
  | { readonly loaded: readonly LoadedTest[] }
  | { readonly id: number; readonly seconds: number; readonly failure: string | null };

/** Begins a line of an answer, among what tests print. */
export const answerMark = "\u0001";

type Body = (context: Deno.TestContext) => void | Promise<void>;
interface Definition {
  readonly name: string;
  readonly fn: Body;
  readonly ignore?: boolean;
}

const tests: (LoadedTest & Pick<Definition, "fn">)[] = [];
let loading = "";

/** Reads the forms of `Deno.test` and of a step: name and function, options, or a function. */
function define(...given: readonly unknown[]): Definition {
  const fn = given.find((part) => typeof part === "function") as Body | undefined;
  const options = given.find((part) => typeof part === "object") as Definition | undefined;
  const name = given.find((part) => typeof part === "string") as string | undefined;
  return {
    name: name ?? options?.name ?? fn?.name ?? "",
    fn: fn ?? options?.fn ?? (() => {}),
    ignore: options?.ignore ?? false,
  };
}

function collectTests(): void {
  const collect = (...given: readonly unknown[]): void => {
    const { name, fn, ignore } = define(...given);
    if (ignore === true) return;
    tests.push({ id: tests.length, name, file: loading, source: String(fn), fn });
  };
  Object.assign(collect, { ignore: () => {}, only: collect });
  Object.defineProperty(Deno, "test", { value: collect, configurable: true });
}

/** A context whose failed steps fail their test. */
function createContext(name: string, failures: unknown[]): Deno.TestContext {
  const step = async (...given: readonly unknown[]): Promise<boolean> => {
    const { name, fn, ignore } = define(...given);
    if (ignore === true) return true;
    const before = failures.length;
    try {
      await fn(createContext(name, failures));
    } catch (error) {
      failures.push(error);
    }
    return failures.length === before;
  };
  return { name, origin: "", step } as unknown as Deno.TestContext;
}

async function runTest(id: number): Promise<WorkerAnswer> {
  const test = tests[id];
  const started = performance.now();
  const failures: unknown[] = [];
  try {
    await test?.fn(createContext(test.name, failures));
  } catch (error) {
    failures.push(error);
  }
  const seconds = (performance.now() - started) / 1_000;
  const failure = failures.length === 0 ? null : String(failures[0]).slice(0, 400);
  return { id, seconds, failure };
}

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if ("load" in request) {
    for (const { file, url } of request.load) {
      loading = file;
      await import(url);
    }
    return { loaded: tests.map(({ fn: _, ...test }) => test) };
  }
  for (const [name, value] of Object.entries(request.environment)) Deno.env.set(name, value);
  return await runTest(request.run);
}

if (import.meta.main) {
  collectTests();
  // What a test forgot fails no other one.
  for (const type of ["unhandledrejection", "error"]) {
    globalThis.addEventListener(type, (event) => event.preventDefault());
  }
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TextLineStream(),
  );
  for await (const line of lines) {
    const answered = await answer(JSON.parse(line));
    const bytes = new TextEncoder().encode(`\n${answerMark}${JSON.stringify(answered)}\n`);
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
  Deno.exit(0);
}
