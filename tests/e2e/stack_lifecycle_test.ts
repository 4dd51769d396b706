import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertRejects } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import {
  type LocalStack,
  type LocalStackOptions,
  makeTemporaryFolder,
  spawnLocalStack,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import {
  assertEndedByItself,
  createInstance,
  readDemo,
  sendFromDemo,
} from "../support/stack/stack_life.ts";
import { waitUntil } from "../support/wait_until.ts";

Deno.test("a stack with a database of its own", async (t) => {
  await using folder = await makeTemporaryFolder();
  const dataDir = join(folder.path, "data");
  const file = join(dataDir, "keys.json");
  const readKeys = async (): Promise<StackKeys> => JSON.parse(await Deno.readTextFile(file));
  const drawn = { dataDir, environment: { SUPABASE_SECRET_KEY: "" } };
  await using first = await startLocalStack(drawn);

  await t.step(
    "a start on a folder or a port in use fails with one sentence, and harms nothing",
    async () => {
      await using onFolder = spawnLocalStack({ dataDir });
      await using onPort = spawnLocalStack({
        dataDir: join(folder.path, "more"),
        port: first.port,
      });
      assertEquals([await onFolder.ended(), await onPort.ended()], [1, 1]);
      assertMatch(onFolder.output(), /^A Postgres of \S+data is already running .*\.\n$/);
      assertMatch(
        onPort.output(),
        new RegExp(`^Port ${first.port} of 127.0.0.1 is in use.*\\.\n$`),
      );
      await assertRejects(() => Deno.stat(join(folder.path, "more")), Deno.errors.NotFound);
      await sendFromDemo(first);
    },
  );

  const keys = await readKeys();
  await t.step(
    "the first start generates the keys, readable by their owner only",
    async () => {
      assertEquals(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
      assertMatch(keys.secretKey, /^sb_secret_[\w-]{43}$/);
      assertEquals(atob(keys.credentialsKeys).length, 32);
      assertMatch(first.output(), new RegExp(`^  Keys +${file}$`, "m"));
      assertEquals(first.output().includes(keys.secretKey), false);
      assertEquals(await askAdmin(first, keys.secretKey), 200);
      assertEquals(await askAdmin(first, "sb_secret_local_stack_only_0000000000000000"), 401);
    },
  );

  await t.step(
    "Ctrl-C stops everything; the next start has the same data, and opens with the same token and keys",
    async () => {
      await stopAndStartAgain(first, drawn);
      assertEquals(await readKeys(), keys);
    },
  );

  await t.step(
    "the environment's keys take precedence: the demo's credentials are sealed anew, as the former key is gone",
    async () => {
      const environment = {
        SUPABASE_SECRET_KEY: "sb_secret_of_the_environment",
        CREDENTIALS_KEYS: btoa("k".repeat(32)),
      };
      await using third = await startLocalStack({ ...drawn, environment });
      assertEquals(await askAdmin(third, environment.SUPABASE_SECRET_KEY), 200);
      assertEquals(await askAdmin(third, keys.secretKey), 401);
      await sendFromDemo(third);
      assertEquals(await readKeys(), keys);
    },
  );
});

interface StackKeys {
  readonly secretKey: string;
  readonly credentialsKeys: string;
}

async function stopAndStartAgain(
  first: LocalStack,
  options: LocalStackOptions,
): Promise<void> {
  const { token, messageId } = await sendFromDemo(first);
  const { dataDir } = options;
  const databasePort = await readDatabasePort(dataDir);

  assertEquals(await stop(first), 0, first.output());
  assertEndedByItself(first);
  await assertRejects(() => Deno.stat(join(dataDir, "cluster/postmaster.pid")));
  // Not bound: by now the system may have given the database's port to a connection.
  for (const port of [first.port, databasePort]) {
    await assertRejects(() => Deno.connect({ hostname, port }), Deno.errors.ConnectionRefused);
  }

  // On another port: the demo's messages must go to the simulator that runs now.
  await using second = await startLocalStack(options);
  assertEquals(second.output().includes("upgraded"), false, "the data is of this version");
  const again = await sendFromDemo(second);
  assertEquals(again.token, token);
  const { body } = await second.call(
    { instanceId: "demo", token },
    `messages-api/messages/${messageId}`,
  );
  assertEquals(body.success, true);
  // The phone may have told its delivery before the stop.
  assertMatch(body.status, /^(?:sent|delivered)$/);
}

Deno.test("a start with a published key fails before the database is touched", async () => {
  await using folder = await makeTemporaryFolder();
  const databaseUrl = "postgres://postgres:secret-of-nobody@127.0.0.1:9/postgres";
  const published: Readonly<Record<string, string>> = {
    SUPABASE_SECRET_KEY: "sb_secret_local_stack_only_0000000000000000",
    CREDENTIALS_KEYS: "bG9jYWwtc3RhY2stb25seS1jcmVkZW50aWFscy1rZXk=",
  };
  for (const [variable, key] of Object.entries(published)) {
    const dataDir = join(folder.path, "data");
    await using stack = spawnLocalStack({ dataDir, databaseUrl, environment: { [variable]: key } });
    assertEquals(await stack.ended(), 1);
    assertMatch(stack.output(), new RegExp(`^${variable} holds a key that .* published.*\\.\n$`));
    assertEquals(stack.output().includes(key), false);
  }
});

Deno.test("a stack that runs", async (t) => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  // First, while nothing else has printed.
  await t.step(
    "an idle stack prints nothing while its dispatcher runs",
    () => printNothingWhileIdle(stack),
  );
  await t.step(
    "a page of another origin cannot reach the stack's own pages, and neither can DNS rebinding",
    () => refuseForeignPages(stack),
  );
  await t.step(
    "a stop does not wait for the end of a dispatcher run",
    () => stopDuringRun(stack),
  );
});

async function printNothingWhileIdle(stack: LocalStack): Promise<void> {
  const afterStart = stack.output().length;
  const phone = "5511988887777";
  await sendFromDemo(stack);
  const { instanceId, token } = readDemo(stack);
  const queued = await stack.call({ instanceId, token }, "send-message", {
    ...{ instanceId, phone, messageType: "text", message: "na fila", queued: true },
    delayMessage: 1,
  });
  assertEquals(queued.status, 200);
  // Runs that found nothing came before the one that sends it.
  await waitUntil(() => stack.output().includes('"event":"dispatch_completed"'));
  const lines = stack.output().slice(afterStart).trim().split("\n").map((line) => JSON.parse(line));
  // The simulated phones report what has arrived: those calls have a purpose.
  const told = lines.filter(({ function: slug }) => slug !== "provider-webhook");
  assertEquals(told.map(({ event, function: slug }) => [event, slug]), [
    ["request_handled", "send-message"],
    ["request_handled", "send-message"],
    ["dispatch_completed", undefined],
  ]);
}

async function refuseForeignPages(stack: LocalStack): Promise<void> {
  const { token } = readDemo(stack);
  const ask = async (path: string, headers: Record<string, string>): Promise<number> => {
    // Raw, for fetch sets Host and Origin itself.
    const connection = await Deno.connect({ hostname, port: stack.port });
    const lines = Object.entries({ Connection: "close", ...headers }).map((pair) =>
      pair.join(": ")
    );
    const head = [`GET ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
    await connection.write(new TextEncoder().encode(head));
    const answer = await new Response(connection.readable).text();
    assertEquals(answer.includes(token) && !answer.startsWith("HTTP/1.1 200"), false);
    return Number(answer.split(" ")[1]);
  };
  const queue = "/functions/v1/messages-api/queue?instanceId=demo";
  const pages = ["/", "/health", "/simulator/demo", "/simulator/messages"];
  const own = `127.0.0.1:${stack.port}`;
  for (const path of pages) {
    const hosts = [{ Host: own }, { Host: `localhost:${stack.port}` }];
    for (const headers of [...hosts, { Host: own, Origin: `http://${own}` }]) {
      // Not healthy while the database takes more than a second to answer, which ends.
      await waitUntil(async () => await ask(path, headers) === 200, {
        what: `${path} for its page`,
      });
    }
    for (const origin of ["https://shop.example.com", "http://localhost:3000", "null"]) {
      assertEquals(await ask(path, { Host: own, Origin: origin }), 403, `${path} ${origin}`);
    }
  }
  for (const path of [...pages, queue]) {
    const host = `rebinding.example.com:${stack.port}`;
    assertEquals(await ask(path, { Host: host, "X-Client-Token": token }), 403, path);
  }
  const fromPage = { Host: own, Origin: "https://shop.example.com", "X-Client-Token": token };
  assertEquals(await ask(queue, fromPage), 200, "a client token may be used from any page");
}

async function stopDuringRun(stack: LocalStack): Promise<void> {
  await using provider = startHttpDouble(acceptMessage);
  const instance = await createInstance(stack, provider.baseUrl);
  const countRuns = (): number => stack.output().split('"dispatch_completed"').length;
  const send = async (): Promise<void> => {
    const sent = provider.requests.length;
    const queued = await stack.call(instance, "send-message", {
      ...{ instanceId: instance.instanceId, phone: "5511966660001", messageType: "text" },
      ...{ message: "na fila", delayMessage: 1 },
    });
    assertEquals(queued.status, 200);
    await waitUntil(() => provider.requests.length > sent, { what: "the provider call" });
  };
  let sendingMs = Infinity;
  for (let attempt = 1; sendingMs > 6_000 && attempt <= 10; attempt++) {
    const before = countRuns();
    await send();
    await waitUntil(() => countRuns() > before, { what: "the end of the run" });
    // Meets a run that has only just begun, unless the machine takes most of its ten seconds.
    const begunAt = performance.now();
    await send();
    sendingMs = performance.now() - begunAt;
  }
  stack.signal("SIGTERM");
  assertEquals(await stack.ended(), 0);
  const [, afterStop = ""] = stack.output().split("Stopping.\n");
  const runs = afterStop.split("\n").filter((line) => line.includes('"dispatch_completed"'))
    .map((line) => JSON.parse(line));
  // Only the run that sent the message is shown. By itself a run ends after ten seconds.
  for (const { accepted, durationMs } of runs) {
    assertEquals(accepted, 1);
    assert(durationMs < 10_000, `the run lasted ${durationMs} ms`);
  }
}

Deno.test("a failed start says why in one sentence", async () => {
  await using folder = await makeTemporaryFolder();
  const databaseUrl = "postgres://postgres:secret-of-nobody@127.0.0.1:9/postgres";
  await using unreachable = spawnLocalStack({ dataDir: folder.path, databaseUrl });
  await using misconfigured = spawnLocalStack({
    dataDir: folder.path,
    databaseUrl,
    environment: { PORT: "http" },
  });
  assertEquals([await unreachable.ended(), await misconfigured.ended()], [1, 1]);
  assertMatch(unreachable.output(), /^The database of DATABASE_URL cannot be used.*\.\n$/);
  assertEquals(unreachable.output().includes("secret-of-nobody"), false);
  assertEquals(misconfigured.output(), "PORT must be a number from 1 to 65535.\n");
});

const hostname = "127.0.0.1";

/** The status of a call of admin-api with this key. */
async function askAdmin(stack: LocalStack, key: string): Promise<number> {
  const response = await fetch(`${stack.origin}/functions/v1/admin-api/workspaces`, {
    headers: { apikey: key },
  });
  await response.body?.cancel();
  return response.status;
}

/** Stops a stack as Ctrl-C does. @returns its exit code. */
async function stop(stack: LocalStack): Promise<number> {
  stack.signal("SIGINT");
  return await stack.ended();
}

async function readDatabasePort(dataDir: string): Promise<number> {
  const text = await Deno.readTextFile(join(dataDir, "cluster/postmaster.pid"));
  return Number(text.split("\n")[3]);
}
