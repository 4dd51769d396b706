import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";
import { findFreePort } from "../support/free_port.ts";

/** Gives a command a terminal of its own (util-linux). */
const scriptPath = "/usr/bin/script";
const hasScript = await Deno.stat(scriptPath).then(() => true, () => false) &&
  Deno.build.os === "linux";
const missing = hasScript ? "" : " (skipped: no script of util-linux is installed)";
const root = fileURLToPath(new URL("../..", import.meta.url));
const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));

Deno.test("without a terminal the stack prints the banner that the README shows and JSON lines, and nothing of its set-up", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  await waitUntil(() => stack.output().includes("Ctrl-C stops everything."));
  assertEquals(readBannerHead(stack.output()), readBannerHead(await readShownBanner()));
  const banner = stack.output().length;
  await ask(stack.origin);
  await waitUntil(() => stack.output().slice(banner).endsWith("}\n"), { what: "a whole line" });
  const [line = ""] = stack.output().slice(banner).trim().split("\n");
  const { event, function: slug, status } = JSON.parse(line);
  assertEquals([event, slug, status], ["request_handled", "messages-api", 401]);
});

Deno.test({
  name:
    `on a terminal the stack opens with its banner, and a request is one readable line${missing}`,
  ignore: !hasScript,
  async fn(): Promise<void> {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    await using terminal = startOnTerminal({
      DATA_DIR: folder.path,
      DATABASE_URL: database.url,
    });
    await waitUntil(() => terminal.output().includes("Ctrl-C stops everything."), {
      timeoutMs: 180_000,
      what: "the banner",
    });
    assertMatch(terminal.output(), /^\nMessaging Integration API \d+\.\d+\.\d+ on http:/);
    await ask(terminal.origin);
    await waitUntil(() => terminal.output().includes("missing_client_token"));
    const [, log = ""] = terminal.output().split("Ctrl-C stops everything.\n");
    assertMatch(
      log.trim(),
      /^\d\d:\d\d:\d\d +401 +GET +messages-api\/queue +\d+ ms +errorCode=missing_client_token$/,
    );
    assertEquals(await terminal.interrupt(), 0);
    assertMatch(terminal.output(), /Stopping\.\n$/);
  },
});

/** The banner as the README shows it. */
async function readShownBanner(): Promise<string> {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  return /^```text\n(Messaging Integration API [^]*?)^```/m.exec(readme)?.[1] ?? "";
}

/** The version that a banner names, and its labels: the values are each stack's own. */
function readBannerHead(banner: string): string[] {
  const [head = "", labels = ""] = banner.trimStart().split("\n\n");
  return [
    head.replace(/:\d+$/, ""),
    ...labels.trimEnd().split("\n").map((line) => line.trim().split(" ")[0] ?? ""),
  ];
}

/** A request without a token. */
async function ask(origin: string): Promise<void> {
  const response = await fetch(`${origin}/functions/v1/messages-api/queue?instanceId=demo`);
  assertEquals(response.status, 401);
  await response.body?.cancel();
}

interface Terminal extends AsyncDisposable {
  readonly origin: string;
  /** What it shows so far, with plain line ends. */
  output(): string;
  /** Presses Ctrl-C. @returns the exit code. */
  interrupt(): Promise<number>;
}

/** Runs what `deno task start` runs. */
function startOnTerminal(environment: Readonly<Record<string, string>>): Terminal {
  const port = findFreePort();
  const command = String(tasks.start).replace(/^deno /, `${Deno.execPath()} `);
  assert(command !== tasks.start);
  const child = new Deno.Command(scriptPath, {
    args: ["--quiet", "--return", "--command", `exec ${command}`, "/dev/null"],
    cwd: root,
    env: { NO_COLOR: "1", PORT: String(port), ...environment },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let text = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of child.stdout) text += decoder.decode(part, { stream: true });
  })();
  const keyboard = child.stdin.getWriter();
  let isOver = false;
  const ended = Promise.all([child.status, reading]).then(([{ code }]) => {
    isOver = true;
    return code;
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    output: () => text.replaceAll("\r\n", "\n").replaceAll("^C", ""),
    interrupt: async () => {
      await keyboard.write(new TextEncoder().encode("\x03"));
      return await ended;
    },
    [Symbol.asyncDispose]: async () => {
      if (!isOver) child.kill("SIGTERM");
      await ended;
      await keyboard.close().catch(() => {});
    },
  };
}
