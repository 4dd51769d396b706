import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { describeProgress } from "../../../supabase/admin/batch_commands.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const batch = (sent: number, status: string) => ({
  name: "Natal",
  status,
  pauseReason: null,
  recipientCount: 4,
  counts: { pending: 4 - sent, queued: 0, sent, failed: 0 },
  lastScheduledFor: "2026-11-23T10:01:30.000-03:00",
});

async function watch(
  args: readonly string[],
  isTerminal: boolean,
): Promise<[number, string, string]> {
  const states = [batch(0, "running"), batch(2, "running"), batch(4, "finished")];
  let [out, errors] = ["", ""];
  const code = await runAdminCommand({
    api: { call: () => Promise.reject(new Error("no call of admin-api is expected")) },
    print: (text) => void (out += text),
    printError: (text) => void (errors += text),
    readFile: () => Promise.resolve(""),
    readStdin: () => Promise.resolve(""),
    readBatch: () => Promise.resolve({ success: true, ...states.shift() }),
    isTerminal,
    columns: () => 64,
    wait: () => Promise.resolve(),
  }, args);
  return [code, out, errors];
}

Deno.test("a batch's progress is drawn over itself on a terminal until the batch has ended", async () => {
  const [code, out] = await watch(["batches", "watch", "b"], true);
  assertEquals(code, 0);
  assertEquals(out.split("\r").length, 4);
  assert(out.endsWith("\n") && out.includes("50 %  2/4  running") && out.includes("100 %"));
});

Deno.test("elsewhere each change is a line, and JSON where it is asked for", async () => {
  const [, lines] = await watch(["batches", "watch", "b"], false);
  assertEquals(lines.trim().split("\n").length, 3);
  const [, json] = await watch(["--json", "batches", "watch", "b"], false);
  assertEquals(JSON.parse(json.trim().split("\n").at(-1) ?? "").status, "finished");
});

Deno.test("watching without a token says which one it needs", async () => {
  let errors = "";
  const code = await runAdminCommand({
    api: { call: () => Promise.reject(new Error("no call of admin-api is expected")) },
    print: () => {},
    printError: (text) => void (errors += text),
    readFile: () => Promise.resolve(""),
    readStdin: () => Promise.resolve(""),
  }, ["batches", "watch", "b"]);
  assertEquals([code, errors.includes("CLIENT_TOKEN")], [2, true]);
});

Deno.test("a batch that has paused by itself says why", () => {
  const paused = { ...batch(2, "paused"), pauseReason: "template_refused" };
  assert(describeProgress(paused).includes("2/4  paused (template_refused)  2 pending"));
});

Deno.test("a line of progress fits the terminal, for one that wraps could not be drawn over", () => {
  const running = { ...batch(2, "running"), name: "Reativação de clientes de 2024 e 2025" };
  for (const columns of [132, 100, 80, 40]) {
    const line = describeProgress(running, columns);
    assert([...line].length < columns, line);
  }
  assertEquals(
    describeProgress(running, 100),
    "Reativação de clientes …  █████░░░░░  50 %  2/4  running  2 pending, 2 sent  until 2026-11-23 10:01",
  );
});

Deno.test("an empty batch is done, and tells no end", () => {
  const line = describeProgress({ ...batch(0, "finished"), recipientCount: 0, counts: {} });
  assert(line.includes("100 %  0/0  finished") && !line.includes("until"), line);
});
