/** A process with loaded tests (test_worker.ts), begun anew where a test has hung or ended it. */

import { join } from "node:path";
import {
  answerMark,
  type LoadedTest,
  type WorkerAnswer,
  type WorkerRequest,
} from "./test_worker.ts";
import { TextLineStream } from "./text_lines.ts";

/** How a test ended; `failure` is null where it passed. */
export interface TestOutcome {
  readonly seconds: number;
  readonly failure: string | null;
}

export interface TestProcess extends AsyncDisposable {
  readonly tests: readonly LoadedTest[];
  /**
   * Runs a test. One that takes longer than `limitSeconds`, or ends the process, has failed.
   *
   * @param environment variables for it.
   */
  run(
    test: LoadedTest,
    limitSeconds: number,
    environment: Readonly<Record<string, string>>,
  ): Promise<TestOutcome>;
}

const loadingSeconds = 300;

/**
 * Loads these test files. @param root the folder that they are loaded from.
 * @throws {Error} when one cannot be loaded.
 */
export async function startTestProcess(
  root: string,
  files: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<TestProcess> {
  const load = files.map((file) => ({ file, url: new URL(`file://${join(root, file)}`).href }));
  const start = async (): Promise<{ child: Child; tests: readonly LoadedTest[] }> => {
    const child = startChild(root, environment);
    const answer = await child.ask({ load }, loadingSeconds);
    if (answer === null || !("loaded" in answer)) {
      await child.end();
      throw new Error(`The tests cannot be loaded:\n${child.readErrors()}`);
    }
    return { child, tests: answer.loaded };
  };
  let { child, tests } = await start();
  return {
    tests,
    run: async (test, limitSeconds, variables) => {
      const started = performance.now();
      const answer = await child.ask({ run: test.id, environment: variables }, limitSeconds);
      if (answer !== null && "failure" in answer) return answer;
      await child.end();
      ({ child, tests } = await start());
      const seconds = (performance.now() - started) / 1_000;
      return { seconds, failure: "did not end" };
    },
    [Symbol.asyncDispose]: () => child.end(),
  };
}

interface Child {
  /** Null where no answer came in time. */
  ask(request: WorkerRequest, limitSeconds: number): Promise<WorkerAnswer | null>;
  readErrors(): string;
  end(): Promise<void>;
}

function startChild(root: string, environment: Readonly<Record<string, string>>): Child {
  // A developer's own database is no test's.
  const { DATABASE_URL: _, ...inherited } = Deno.env.toObject();
  const worker = new URL("./test_worker.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "-A", "--no-check", `--config=${join(root, "deno.json")}`],
      ...[`--lock=${join(root, "deno.lock")}`, worker],
    ],
    cwd: root,
    clearEnv: true,
    env: { ...inherited, ...environment },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const writer = child.stdin.getWriter();
  const answers = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream()).getReader();
  let errors = "";
  void child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (errors = (errors + text).slice(-4_000)) }),
  ).catch(() => {});
  const readAnswer = async (): Promise<WorkerAnswer | null> => {
    for (;;) {
      const { value, done } = await answers.read();
      if (done) return null;
      if (value.startsWith(answerMark)) return JSON.parse(value.slice(answerMark.length));
    }
  };
  return {
    ask: async (request, limitSeconds) => {
      const late = Promise.withResolvers<null>();
      const timer = setTimeout(() => late.resolve(null), limitSeconds * 1_000);
      try {
        await writer.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
        return await Promise.race([readAnswer(), late.promise]);
      } catch {
        return null;
      } finally {
        clearTimeout(timer);
      }
    },
    readErrors: () => errors,
    end: async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await child.status;
      await writer.abort().catch(() => {});
      await answers.cancel().catch(() => {});
    },
  };
}
