/** What the console shows is there after a restart of the stack. */
import { join } from "node:path";
import { assertEquals } from "../support/assert.ts";
import { findBrowser, startBrowser } from "../support/browser/browser.ts";
import { openTab } from "../support/browser/console.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const phone = "5511944443333";
const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";

Deno.test({
  name:
    `the console shows messages, answers, states and finished and draft batches after a restart, also after kill -9${missing}`,
  ignore: browserPath === null,
  async fn(): Promise<void> {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    const options = { dataDir: join(folder.path, "data"), databaseUrl: database.url };
    const records = await (async () => {
      await using first = await startLocalStack(options);
      await fill(first);
      return await readRecords(first);
    })();
    const second = await startLocalStack(options);
    try {
      assertEquals(await readRecords(second), records, "nothing is lost, nothing told again");
      await checkConsole(second);
    } finally {
      second.signal("SIGKILL");
      await second.ended();
    }
    await using third = await startLocalStack(options);
    const kept = await readRecords(third);
    assertEquals(kept.slice(0, records.length), records);
    const sequences = kept.map(({ seq }) => seq);
    assertEquals(new Set(sequences).size, sequences.length, "a number is given once");
    assertEquals(await readTexts(third), ["Olá", "Lembrete", "Depois do reinício"]);
  },
});

async function readDemo(stack: LocalStack): Promise<StackInstance> {
  const { instanceId, clientToken } = await (await fetch(`${stack.origin}/simulator/demo`)).json();
  return { instanceId, token: clientToken };
}

async function fill(stack: LocalStack): Promise<void> {
  const demo = await readDemo(stack);
  const call = async (path: string, body: Record<string, unknown>) => {
    const answer = await stack.call(demo, path, { instanceId: demo.instanceId, ...body });
    assertEquals(answer.status < 300, true, JSON.stringify(answer));
    return answer.body;
  };
  // Nobody answers what the customer writes.
  await call("send-message", { phone, messageType: "text", message: "Olá" });
  const reply = { provider: "zapi", instance: "DEMO", waId: phone, writtenBy: "company" };
  const written = await fetch(`${stack.origin}/simulator/replies`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...reply, content: { messageType: "text", text: "Do telefone" } }),
  });
  await written.body?.cancel();
  assertEquals(written.status, 201);
  const message = { messageType: "text", message: "Lembrete" };
  const batch = { message, recipients: [{ phone: "5511955556666" }] };
  const { batchId } = await call("batches-api/batches", { ...batch, name: "Terminado" });
  await call("batches-api/batches", { ...batch, name: "Rascunho" });
  await call(`batches-api/batches/${batchId}/start`, {});
  const path = `batches-api/batches/${batchId}?instanceId=${demo.instanceId}`;
  await waitUntil(async () => (await stack.call(demo, path)).body.status === "finished", {
    what: "the end of the batch",
  });
  await waitUntil(
    async () => {
      const told = await stack.readSimulator("statuses");
      return told.filter(({ status }) => status === "delivered").length === 2;
    },
    { what: "both deliveries" },
  );
}

async function readRecords(stack: LocalStack): Promise<{ readonly seq: number }[]> {
  const kinds = ["messages", "replies", "statuses"];
  const logs = await Promise.all(kinds.map((kind) => stack.readSimulator(`${kind}?limit=1000`)));
  return logs.flat().map((record) => ({ ...record, seq: Number(record["seq"]) }))
    .sort((one, other) => one.seq - other.seq);
}

async function readTexts(stack: LocalStack): Promise<string[]> {
  return (await stack.readSimulator("messages")).map(({ text }) => String(text));
}

async function checkConsole(stack: LocalStack): Promise<void> {
  await using browser = await startBrowser(browserPath ?? "");
  await using opened = await browser.openPage({ size: { width: 1_280, height: 900 } });
  const { page } = opened;
  await page.goto(stack.origin);
  await page.locator("#phone-list").getByText("94444-3333").click();
  const sent = page.locator("#bubbles .bubble").filter({ hasText: "Olá" });
  await sent.getByText("delivered", { exact: true }).waitFor();
  await page.locator("#bubbles").getByText("Do telefone", { exact: true }).waitFor();
  await openTab(page, "Batches");
  const batches = page.getByRole("region", { name: "Batches" });
  const finished = batches.getByRole("listitem").filter({ hasText: "Terminado" });
  await finished.getByText("finished", { exact: true }).waitFor();
  await finished.getByText("1 of 1").waitFor();
  const draft = batches.getByRole("listitem").filter({ hasText: "Rascunho" });
  await draft.getByRole("button", { name: "Start Rascunho" }).waitFor();
  const text = { phone, messageType: "text", message: "Depois do reinício" };
  const demo = await readDemo(stack);
  await stack.call(demo, "send-message", { instanceId: demo.instanceId, ...text });
  await page.locator("#bubbles").getByText("Depois do reinício").waitFor();
  assertEquals(opened.faults, []);
}
