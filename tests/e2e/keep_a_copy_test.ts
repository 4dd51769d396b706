/** The program of docs/keep-a-copy.md, run as the page gives it. */
import { DatabaseSync } from "node:sqlite";
import { assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startHttpDouble } from "../support/doubles/http_double.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

interface Copier extends AsyncDisposable {
  /** Ends it at once, wherever it is. */
  kill(): Promise<void>;
}

async function writeProgram(folder: string): Promise<string> {
  const page = await Deno.readTextFile(new URL("../../docs/keep-a-copy.md", import.meta.url));
  const [, program = ""] = /^```ts\n([\s\S]*?)^```/m.exec(page) ?? [];
  await Deno.writeTextFile(`${folder}/copy.ts`, program);
  return `${folder}/copy.ts`;
}

function startCopier(
  program: string,
  file: string,
  { origin, token }: { readonly origin: string; readonly token: string },
): Copier {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", program],
    env: { API: origin, TOKEN: token, COPY: file, NO_COLOR: "1" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isOver = false;
  const kill = async (): Promise<void> => {
    if (!isOver) child.kill("SIGKILL");
    isOver = true;
    await child.status;
  };
  return { kill, [Symbol.asyncDispose]: kill };
}

/** Each message of the copy as its contact and its status. */
function readMessages(file: string): Record<string, string> {
  return readCopy(file, "select id, contact, record from messages", ({ contact, record }) => {
    return `${contact} ${JSON.parse(String(record)).status}`;
  });
}

/** Each contact of the copy as its name and phone. */
function readContacts(file: string): Record<string, string> {
  return readCopy(file, "select id, record from contacts", ({ record }) => {
    const { name, phone } = JSON.parse(String(record));
    return `${name} ${phone}`;
  });
}

function readCopy(
  file: string,
  query: string,
  describe: (row: Record<string, unknown>) => string,
): Record<string, string> {
  using copy = new DatabaseSync(file);
  // The program may be writing.
  copy.exec("pragma busy_timeout = 5000");
  const rows = copy.prepare(query).all() as Record<string, unknown>[];
  return Object.fromEntries(rows.map((row) => [String(row["id"]), describe(row)]));
}

/** What the API says of the same, in the same words. */
async function readApi(
  stack: LocalStack,
  instance: StackInstance,
): Promise<readonly [Record<string, string>, Record<string, string>]> {
  const list = async (path: string): Promise<StackRecord[]> =>
    (await stack.call(instance, `${path}?limit=1000`)).body.items;
  const messages = await list("messages-api/messages");
  const contacts = await list("contacts-api/contacts");
  return [
    Object.fromEntries(messages.map(({ messageId, contactId, status }) => [
      messageId,
      `${contactId} ${status}`,
    ])),
    Object.fromEntries(contacts.map(({ contactId, name, phone }) => [
      contactId,
      `${name} ${phone}`,
    ])),
  ];
}

type StackRecord = Record<string, string>;

async function untilInStep(
  stack: LocalStack,
  instance: StackInstance,
  file: string,
): Promise<void> {
  const look = async (): Promise<readonly [string, string]> => {
    const copied = [readMessages(file), readContacts(file)];
    return [sort(copied), sort(await readApi(stack, instance))];
  };
  await waitUntil(
    async () => {
      const [copied, told] = await look().catch(() => ["nothing", "yet"] as const);
      return copied === told;
    },
    { what: "a copy in step", timeoutMs: 180_000 },
  ).catch(async (error) => {
    assertEquals(...await look());
    throw error;
  });
}

function sort(records: readonly Record<string, string>[]): string {
  return JSON.stringify(records.map((one) => Object.entries(one).sort()), null, 1);
}

Deno.test("the program of docs/keep-a-copy.md keeps step with sends, answers, merges and erasures, though it is killed", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const demo = await (await fetch(`${stack.origin}/simulator/demo`)).json();
  const instance = { instanceId: demo.instanceId, token: demo.clientToken };
  const program = await writeProgram(folder.path);
  const file = `${folder.path}/copy.db`;
  const access = { origin: stack.origin, token: instance.token };

  const send = async (phone: string, message: string): Promise<StackRecord> =>
    (await stack.call(instance, "send-message", {
      ...{ instanceId: "demo", phone, messageType: "text", message },
    })).body;
  const answer = async (waId: string): Promise<void> => {
    const content = { messageType: "text", text: "Bom dia" };
    const response = await fetch(`${stack.origin}/simulator/replies`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ provider: "zapi", instance: "DEMO", waId, content }),
    });
    assertEquals(response.ok, true, await response.text());
  };

  // Before the copy begins.
  const first = await send("5511988880001", "one");
  await send("5511988880002", "two");
  {
    await using copier = startCopier(program, file, access);
    await untilInStep(stack, instance, file);
    const third = await send("5511988880003", "three");
    await answer("5511988880003");
    await untilInStep(stack, instance, file);
    await copier.kill();
    // While it is away.
    await send("5511988880004", "four");
    await stack.call(instance, "contacts-api/update", {
      contactId: third["contactId"],
      name: "Lia",
    });
    const merge = { contactId: third["contactId"], intoContactId: first["contactId"] };
    assertEquals((await stack.call(instance, "contacts-api/merge", merge)).status, 200);
  }
  await using copier = startCopier(program, file, access);
  await untilInStep(stack, instance, file);
  const second = await send("5511988880002", "two again");
  await untilInStep(stack, instance, file);
  const erased = await fetch(
    `${stack.origin}/functions/v1/contacts-api/contacts/${second["contactId"]}`,
    { method: "DELETE", headers: { "X-Client-Token": instance.token } },
  );
  assertEquals(erased.status, 202, await erased.text());
  await untilInStep(stack, instance, file);
  await copier.kill();
});

Deno.test("the program of docs/keep-a-copy.md drops an old state of a message, and no message, in whatever order events come", async () => {
  const event = (type: string, sequence: number, messageId: string, status: string): unknown => ({
    type: `message.${type}`,
    sequence,
    data: { messageId, contactId: "a contact", status },
  });
  const events = [
    event("read", 12, "sent", "read"),
    event("delivered", 11, "sent", "delivered"),
    event("received", 10, "newer", "received"),
    event("received", 9, "older", "received"),
  ];
  let pages = 0;
  const reply = (body: object): Response => Response.json({ success: true, ...body });
  await using api = startHttpDouble(({ path }) => {
    if (!path.endsWith("/events")) return reply({ items: [], nextCursor: null });
    pages += 1;
    // The cursor of now, the events, and then nothing for as long as the test lasts.
    return pages > 2
      ? new Promise<Response>(() => {})
      : reply({ items: pages === 1 ? [] : events, nextCursor: `cursor-${pages}` });
  });
  await using folder = await makeTemporaryFolder();
  const file = `${folder.path}/copy.db`;
  const program = await writeProgram(folder.path);
  await using _copier = startCopier(program, file, { origin: api.baseUrl, token: "mia_any" });
  await waitUntil(() => pages > 2, { what: "the events to be taken", timeoutMs: 60_000 });
  assertEquals(readMessages(file), {
    sent: "a contact read",
    newer: "a contact received",
    older: "a contact received",
  });
});
