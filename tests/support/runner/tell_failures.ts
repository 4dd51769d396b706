/**
 * Preloaded into each isolate of tests: fails a test that does not end, which otherwise holds up the run, and says
 * at once what a failed test threw, in a line that test_output.ts reads. `deno test` itself says it when all tests
 * have ended.
 *
 * This text is loaded by a `data:` URL and imports nothing: Deno takes the first frame of a `file:` URL for
 * where a test stands. What loads it puts the declaration of `limitMs` in front.
 */
declare const limitMs: number;

type Run = (context: Deno.TestContext) => unknown;

/** Begins the line, whatever a test has written in front of it. */
const mark = "\u001efailed test ";
const register = Deno.test as unknown as (...args: unknown[]) => void;

const registerTelling = (...args: unknown[]): void => {
  const place = readPlace();
  const telling = (run: Run): Run => {
    const told: Run = async (context) => {
      try {
        await endInTime(() => run(context));
      } catch (error) {
        tell({ name: context.name, place, text: describe(error) });
        throw error;
      }
    };
    // The name of a test that is only a function.
    return Object.defineProperty(told, "name", { value: run.name });
  };
  register(...args.map((arg) => {
    if (typeof arg === "function") return telling(arg as Run);
    const definition = arg as { readonly fn?: Run } | null;
    if (typeof definition !== "object" || typeof definition?.fn !== "function") return arg;
    return { ...definition, fn: telling(definition.fn) };
  }));
};
Object.defineProperty(Deno, "test", { value: Object.assign(registerTelling, Deno.test) });

/** @throws Error where a test takes longer than any does. */
async function endInTime(run: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    const end = (): void => reject(new Error(`the test did not end in ${limitMs / 1_000} s`));
    timer = setTimeout(end, limitMs);
  });
  try {
    await Promise.race([run(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** The file and line that register a test. */
function readPlace(): string {
  return /file:\/\/[^\s)]+:\d+/.exec(new Error().stack ?? "")?.[0] ?? "";
}

/** Without the frames of what calls tests. */
function describe(error: unknown): string {
  const text = Deno.inspect(error, { colors: false, depth: 6, strAbbreviateSize: 10_000 });
  return text.split("\n").filter((line) => !/^\s+at .*\b(?:ext|data):/.test(line)).join("\n");
}

function tell(failure: Readonly<Record<"name" | "place" | "text", string>>): void {
  const bytes = new TextEncoder().encode(`${mark}${JSON.stringify(failure)}\n`);
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stderr.writeSync(rest));
}
