import { join } from "node:path";
import { startPostgres } from "../../supabase/local/postgres_server.ts";
import { assert, assertEquals, assertMatch, assertRejects } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  spawnLocalStack,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

Deno.test("a stack with a database of its own", async (t) => {
  await using folder = await makeTemporaryFolder();
  const dataDir = join(folder.path, "data");
  await using first = await startLocalStack({ dataDir });

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

  await t.step(
    "Ctrl-C stops everything; the next start has the same data and opens with the same token",
    () => stopAndStartAgain(first, dataDir),
  );
});

async function stopAndStartAgain(first: LocalStack, dataDir: string): Promise<void> {
  const { token, messageId } = await sendFromDemo(first);
  const databasePort = await readDatabasePort(dataDir);

  assertEquals(await stop(first), 0, first.output());
  assertEndedByItself(first);
  await assertRejects(() => Deno.stat(join(dataDir, "cluster/postmaster.pid")));
  // Not bound: by now the system may have given the database's port to a connection.
  for (const port of [first.port, databasePort]) {
    await assertRejects(() => Deno.connect({ hostname, port }), Deno.errors.ConnectionRefused);
  }

  // On another port: the demo's messages must go to the simulator that runs now.
  await using second = await startLocalStack({ dataDir });
  assertEquals(second.output().includes("upgraded"), false, "the data is of this version");
  const again = await sendFromDemo(second);
  assertEquals(again.token, token);
  const { body } = await second.call(
    { instanceId: "demo", token },
    `messages-api/messages/${messageId}`,
  );
  assertEquals([body.success, body.status], [true, "sent"]);
}

Deno.test("the first start generates the keys, readable by their owner only; later starts use them", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const dataDir = join(folder.path, "data");
  const drawn = { dataDir, databaseUrl: database.url, environment: { SUPABASE_SECRET_KEY: "" } };
  const file = join(dataDir, "keys.json");
  const readKeys = async (): Promise<{ secretKey: string; credentialsKeys: string }> =>
    JSON.parse(await Deno.readTextFile(file));
  await using first = await startLocalStack(drawn);
  const keys = await readKeys();
  assertEquals(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
  assertMatch(keys.secretKey, /^sb_secret_[\w-]{43}$/);
  assertEquals(atob(keys.credentialsKeys).length, 32);
  assertMatch(first.output(), new RegExp(`^  Keys +${file}$`, "m"));
  assertEquals(first.output().includes(keys.secretKey), false);
  assertEquals(await askAdmin(first, keys.secretKey), 200);
  assertEquals(await askAdmin(first, "sb_secret_local_stack_only_0000000000000000"), 401);
  const { token } = await sendFromDemo(first);
  await stop(first);

  await using second = await startLocalStack(drawn);
  assertEquals([await readKeys(), (await sendFromDemo(second)).token], [keys, token]);
  await stop(second);

  // The environment's key takes precedence: the demo's credentials are sealed anew, as the former key is gone.
  const environment = {
    SUPABASE_SECRET_KEY: "sb_secret_of_the_environment",
    CREDENTIALS_KEYS: btoa("k".repeat(32)),
  };
  await using third = await startLocalStack({ ...drawn, environment });
  assertEquals(await askAdmin(third, environment.SUPABASE_SECRET_KEY), 200);
  assertEquals(await askAdmin(third, keys.secretKey), 401);
  await sendFromDemo(third);
  assertEquals(await readKeys(), keys);
});

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
  await waitUntil(() => stack.output().includes('"function":"dispatch-queue"'));
  const lines = stack.output().slice(afterStart).trim().split("\n").map((line) => JSON.parse(line));
  // The simulated phones report what has arrived: those calls have a purpose.
  const told = lines.filter(({ function: slug }) => slug !== "provider-webhook");
  assertEquals(told.map(({ event, function: slug }) => [event, slug]), [
    ["request_handled", "send-message"],
    ["request_handled", "send-message"],
    ["dispatch_completed", undefined],
    ["request_handled", "dispatch-queue"],
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
    assertEquals(await ask(path, { Host: own }), 200, path);
    assertEquals(await ask(path, { Host: `localhost:${stack.port}` }), 200, path);
    assertEquals(await ask(path, { Host: own, Origin: `http://${own}` }), 200, path);
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

for (const usesDataApi of [false, true]) {
  const transport = usesDataApi ? "over the Data API" : "directly";

  Deno.test(`a stop lets requests in progress finish and be recorded, with the database reached ${transport}`, async () => {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    const held = Promise.withResolvers<void>();
    await using provider = startHttpDouble(async (request) => {
      await held.promise;
      return acceptMessage(request);
    });
    await using stack = await startLocalStack({
      dataDir: folder.path,
      databaseUrl: database.url,
      usesDataApi,
    });
    const instance = await createInstance(stack, provider.baseUrl);
    const message = {
      instanceId: instance.instanceId,
      phone: "5511966660001",
      messageType: "text",
    };
    const answering = stack.call(instance, "send-message", { ...message, message: "agora" });
    await stack.call(instance, "send-message", { ...message, message: "na fila", queued: true });
    await waitUntil(() => provider.requests.length === 2, { what: "both provider calls" });

    stack.signal("SIGTERM");
    await waitUntil(() => stack.output().includes("Stopping."), { what: "the stop" });
    const late = await stack.call(instance, "sanitize-phone-number", { phone: "1" });
    assertEquals(late.status, 503);
    held.resolve();
    const { status, body } = await answering;
    assertEquals([status, body.status], [200, "sent"]);
    assertEquals(await stack.ended(), 0);
    const rows = await database.admin`select status from messaging.messages`;
    assertEquals(rows.map(({ status }) => status), ["sent", "sent"]);
  });
}

Deno.test("a second Ctrl-C does not wait for a provider that does not answer", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const never = Promise.withResolvers<Response>();
  await using provider = startHttpDouble(() => never.promise);
  await using stack = await startLocalStack({
    ...{ dataDir: folder.path, databaseUrl: database.url },
    environment: { PROVIDER_TIMEOUT_MS: "60000" },
  });
  const instance = await createInstance(stack, provider.baseUrl);
  const answering = stack.call(instance, "send-message", {
    instanceId: instance.instanceId,
    phone: "5511966660001",
    messageType: "text",
    message: "agora",
  }).catch(() => "cut off");
  await waitUntil(() => provider.requests.length === 1, { what: "the provider call" });
  stack.signal("SIGINT");
  await waitUntil(() => stack.output().includes("Stopping."), { what: "the stop" });
  stack.signal("SIGINT");
  assertEquals(await stack.ended(), 0);
  assertEndedByItself(stack);
  assertEquals(await answering, "cut off");
  never.resolve(new Response());
});

Deno.test("with more callers than file descriptors the stack loses only those calls, and answers the next", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    dataDir: folder.path,
    databaseUrl: database.url,
    maxOpenFiles: 300,
  });
  // Some connections are closed at once: the listening socket closes with the first server.
  const callers = await Promise.allSettled(
    Array.from({ length: 400 }, () => Deno.connect({ hostname, port: stack.port })),
  );
  await waitUntil(() => Promise.resolve(stack.output().includes("http_server_failed")), {
    timeoutMs: 60_000,
    what: "the end of the files",
  });
  for (const caller of callers) {
    if (caller.status === "fulfilled") caller.value.close();
  }
  await waitUntil(async () => (await sendFromDemo(stack)).messageId !== undefined, {
    timeoutMs: 60_000,
    what: "a message sent afterwards",
  });
});

for (const usesDataApi of [false, true]) {
  const transport = usesDataApi ? "through the Data API" : "directly connected";
  Deno.test(`lost database connections do not end a stack that is ${transport}`, async () => {
    await using folder = await makeTemporaryFolder();
    const serverFolder = join(folder.path, "postgres");
    await copyCluster(serverFolder);
    await using server = await startPostgres({ dataDir: serverFolder });
    await using stack = await startLocalStack({
      dataDir: join(folder.path, "data"),
      databaseUrl: server.databaseUrl,
      usesDataApi,
    });
    for (let kill = 0; kill < 2; kill++) {
      const { instanceId, token } = readDemo(stack);
      const calls = Array.from(
        { length: 40 },
        () =>
          stack.call({ instanceId, token }, "send-message", {
            ...{ instanceId, phone: "5511988887777", messageType: "text", message: "Olá" },
          }),
      );
      await killOneBackend(server.pid);
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assertEquals(statuses.filter((status) => ![200, 503].includes(status)), []);
      await waitUntil(async () => (await sendFromDemo(stack)).messageId !== undefined, {
        what: "a message sent afterwards",
      });
    }
  });
}

Deno.test("a stop does not wait for the end of a dispatcher run", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using provider = startHttpDouble(acceptMessage);
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const instance = await createInstance(stack, provider.baseUrl);
  const queued = await stack.call(instance, "send-message", {
    ...{ instanceId: instance.instanceId, phone: "5511966660001", messageType: "text" },
    ...{ message: "na fila", delayMessage: 1 },
  });
  assertEquals(queued.status, 200);
  await waitUntil(() => provider.requests.length === 1, { what: "the provider call" });
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
});

const hostname = "127.0.0.1";

/** Sends as the demo does in the console's first example. */
async function sendFromDemo(stack: LocalStack): Promise<{ token: string; messageId: string }> {
  const { instanceId, token } = readDemo(stack);
  const phone = "5511988887777";
  const { status, body } = await stack.call({ instanceId, token }, "send-message", {
    ...{ instanceId: "demo", phone, messageType: "text", message: "Olá" },
  });
  assertEquals([status, body.status], [200, "sent"], JSON.stringify(body));
  const seen = await stack.readSimulator(`messages?to=${phone}`);
  assertEquals(seen.at(-1)?.["providerMessageId"], body.providerMessageId);
  return { token, messageId: body.messageId };
}

/** The status of a call of admin-api with this key. */
async function askAdmin(stack: LocalStack, key: string): Promise<number> {
  const response = await fetch(`${stack.origin}/functions/v1/admin-api/workspaces`, {
    headers: { apikey: key },
  });
  await response.body?.cancel();
  return response.status;
}

function readDemo(stack: LocalStack): { instanceId: string; token: string } {
  const output = stack.output();
  const instanceId = /^ {2}Instance +(\S+)$/m.exec(output)?.[1];
  const token = /^ {2}Token +(\S+)$/m.exec(output)?.[1];
  assert(instanceId !== undefined && token !== undefined, output);
  return { instanceId, token };
}

async function createInstance(
  stack: LocalStack,
  baseUrl: string,
): Promise<{ instanceId: string; token: string }> {
  const { workspaceId } = await stack.administer("workspaces", { name: "Empresa" });
  return await stack.createInstance({
    workspaceId,
    provider: "zapi",
    providerConfig: {
      baseUrl,
      gatewayInstanceId: "LIFE",
      token: "lifecycle-token",
      webhookSecret: "lifecycle-webhook-secret-0001",
    },
  });
}

/** Stops a stack as Ctrl-C does. @returns its exit code. */
async function stop(stack: LocalStack): Promise<number> {
  stack.signal("SIGINT");
  return await stack.ended();
}

/** A stack that waits for something that does not end says so after its time limit. */
function assertEndedByItself(stack: LocalStack): void {
  assertEquals(stack.output().includes("requests_abandoned"), false, stack.output());
}

/** Kills one backend: Postgres then ends all others and recovers from its log. */
async function killOneBackend(postmaster: number): Promise<void> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "pid=,args=", "--ppid", String(postmaster)],
  }).output();
  const backend = new TextDecoder().decode(stdout).split("\n")
    .find((line) => line.includes("127.0.0.1"));
  assert(backend !== undefined, "nobody is connected");
  Deno.kill(Number.parseInt(backend), "SIGKILL");
}

async function readDatabasePort(dataDir: string): Promise<number> {
  const text = await Deno.readTextFile(join(dataDir, "cluster/postmaster.pid"));
  return Number(text.split("\n")[3]);
}
