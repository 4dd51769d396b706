/**
 * `deno task ok`, after format and lint: the check against the hosted runtime, which needs one core
 * only, beside the tests, which check types themselves. The last line is the tests' `N passed, N failed`,
 * in which a failed check counts as one failure. Its output comes before that line.
 */

Deno.exit(await main());

async function main(): Promise<number> {
  const check = startTask("check:hosted");
  const tests = startTask("test");
  const [printed, errors, counts, , checkStatus, testStatus] = await Promise.all([
    new Response(check.stdout).text(),
    new Response(check.stderr).text(),
    printAllButLastLine(tests.stdout),
    tests.stderr.pipeTo(Deno.stderr.writable, { preventClose: true }),
    check.status,
    tests.status,
  ]);
  print(`── check:hosted\n${printed}${errors}`);
  if (checkStatus.success) {
    print(counts);
    return testStatus.code;
  }
  print("");
  print(counts.replace(/(\d+) failed/, (_, failed) => `${Number(failed) + 1} failed`));
  return 1;
}

function startTask(name: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", name],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Prints lines as they come. @returns the last one. */
async function printAllButLastLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let waiting: string[] = [];
  for await (const chunk of output) {
    const text = waiting.join("\n") + decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    // The last line, and what follows its end.
    waiting = lines.splice(-2);
    for (const line of lines) print(line);
  }
  return waiting.join("");
}

function print(line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
