/** docs/one-machine.md, word by word, on a machine that has done none of it before. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import { preparePostgresBinaries } from "../../supabase/local/postgres_binaries.ts";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { enqueueText } from "../support/database/queue_calls.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { findFreePort } from "../support/free_port.ts";
import { type DocumentedStep, readSteps } from "../support/machine/documented_steps.ts";
import {
  findObstacle,
  type FreshMachine,
  type StartedProgram,
  startFreshMachine,
} from "../support/machine/fresh_machine.ts";
import { waitUntil } from "../support/wait_until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const steps = await readSteps(join(root, "docs/one-machine.md"));
const packaged = await listVersions();
const obstacle = await findObstacle() ??
  (packaged.length === 0 ? "no Postgres from Debian's packages is installed" : null) ??
  await findMissing(["curl", "git", "npm", "openssl", "psql", "runuser", "useradd"]);

const skipped = obstacle === null ? "" : ` (skipped: ${obstacle})`;

/** Steps that these tests leave out, and why. The page names what else they need. */
const leftOut: Readonly<Record<string, string>> = {
  "packages": "the machine has them",
  "start, with systemd": "the test starts what the unit says",
  "restart, with systemd": "the test starts what the unit says",
  "with Docker": "there is no Docker",
};

Deno.test({
  name:
    `a new user's machine serves, sends its first message and is upgraded by the commands of docs/one-machine.md${skipped}`,
  ignore: obstacle !== null,
  fn: async () => {
    await using machine = await startFreshMachine();
    await using provider = startHttpDouble(acceptMessage);
    const page = await openPage(machine, await startNewPostgres(machine));
    await page.follow("user and database", "settings");
    await page.follow("migrate");
    await writeUnit(machine);
    const first = await startUnit(machine, page.servicePort);
    await untilReady(page);
    await page.follow("provider");
    await leadTo(machine, provider.baseUrl);
    const printed = await page.follow("first instance", "first message", "webhook address");
    assertMatch(printed, /"mode":"sent"[^]*"status":"sent"/);
    assertMatch(
      printed,
      /https:\/\/api\.example\.com\/functions\/v1\/provider-webhook\/zapi\/[0-9a-f-]{36}\/[0-9a-f]{48}\nok\n/,
    );
    const client = toClient(page.servicePort, printed);

    await releaseNextVersion(machine);
    assertMatch(await page.follow("upgrade"), /Applied:\n {2}20900101000000_next_version\.sql/);
    const applied = "select max(version) from supabase_migrations.schema_migrations";
    assertEquals(await page.ask("messaging", applied), "20900101000000\n");
    // The former version goes on until it is restarted.
    await client.send("before the restart");
    await endUnit(first);
    assertMatch(await page.follow("contract"), /Nothing to apply/);
    const second = await startUnit(machine, page.servicePort);
    await untilReady(page);
    await client.send("after the upgrade");
    await endUnit(second);
    assertEquals(
      provider.requests.map(({ json }) => json["message"]),
      ["Hello", "before the restart", "after the upgrade"],
    );
    checkFollowed();
  },
});

Deno.test({
  name:
    `a machine's database and files are backed up and restored by the commands of docs/one-machine.md${skipped}`,
  ignore: obstacle !== null,
  fn: async () => {
    await using machine = await startFreshMachine();
    // Of Debian's own version, whatever it is: pg_dump refuses a server newer than itself.
    const page = await openPage(machine, await startPackagedPostgres(machine));
    await page.follow("user and database", "settings");
    await using database = await openDatabase(machine);
    await createPlatformRoles(database.sql);
    await applyMigrations(database.sql, join(root, "migrations"));
    const { instanceId } = await createTenant(database.sql);
    await enqueueText(database.sql, instanceId, { message: "before the backup" });
    await machine.run(`runuser --user messaging -- sh -c "echo hello > ${file}"`);
    await page.follow("back up");
    await enqueueText(database.sql, instanceId, { message: "after the backup" });

    await machine.run(`rm -r ${dirname(file)}`);
    await page.follow("restore");
    assertEquals(await machine.run(`stat --format=%U ${file}; cat ${file}`), "messaging\nhello\n");
    const texts = "select string_agg(message, ', ' order by created_at) from messaging.messages";
    assertMatch(await page.ask("restored", texts), /^before the backup\n$/);
    const held = "select count(*) from messaging.dispatch where operator_hold_until > now()";
    assertMatch(await page.ask("restored", held), /^1\n$/);
    checkFollowed();
  },
});

/** The steps that the tests have followed. */
const followed = new Set<string>();
let finishedTests = 0;

/** Called at the end of each of the two tests; the last one finds the step that neither has followed. */
function checkFollowed(): void {
  finishedTests += 1;
  if (finishedTests < 2) return;
  const commands = steps.filter(({ language }) => language === "sh").map(({ name }) => name);
  assertEquals(commands.filter((name) => name === ""), [], "each block has a name");
  assertEquals(
    commands.filter((name) => !followed.has(name)).sort(),
    Object.keys(leftOut).sort(),
    "what is left out is named",
  );
}

/** What the page takes for granted, or lets apt-get install. */
async function findMissing(programs: readonly string[]): Promise<string | null> {
  for (const program of programs) {
    const look = new Deno.Command("sh", { args: ["-c", `command -v ${program}`] });
    if (!(await look.output()).success) return `${program} is not installed`;
  }
  return null;
}

interface Page {
  readonly servicePort: number;
  /** Runs steps in one shell. @returns what they print. */
  follow(...names: string[]): Promise<string>;
  /** @returns what a statement answers in a database. */
  ask(database: string, statement: string): Promise<string>;
}

/** A machine on which Postgres listens, and the repository is in /opt/messaging. */
async function openPage(machine: FreshMachine, databasePort: number): Promise<Page> {
  const servicePort = findFreePort();
  await storeSource(machine);
  const run = (commands: string): Promise<string> =>
    // The machine shares its ports with this one, on which others run.
    machine.run(`export PGPORT=${databasePort}\n${commands}`);
  return {
    servicePort,
    follow: async (...names) => {
      const texts = names.map((name) => {
        followed.add(name);
        return findStep(name).text;
      });
      const commands = texts.join("\n")
        .replaceAll(":5432/", `:${databasePort}/`)
        .replaceAll("http://127.0.0.1:54321", `http://127.0.0.1:${servicePort}`);
      return await run(commands);
    },
    ask: (database, statement) =>
      run(`su postgres -c "psql --dbname=${database} --tuples-only --no-align" <<< "${statement}"`),
  };
}

/** Starts a server as Debian sets it up. @returns its port. */
async function startPackagedPostgres(machine: FreshMachine): Promise<number> {
  const port = findFreePort();
  const version = packaged.at(-1) ?? "";
  await machine.run(
    `pg_createcluster ${version} fresh --port ${port} && pg_ctlcluster ${version} fresh start -o "-c fsync=off -c jit=off"`,
  );
  return port;
}

/** Starts a server that the service takes: Debian's, or ours where Debian's is too old. @returns its port. */
async function startNewPostgres(machine: FreshMachine): Promise<number> {
  if (Number(packaged.at(-1)) >= 17) return await startPackagedPostgres(machine);
  const port = findFreePort();
  const [uid = 0, gid = 0] = (await machine.run("id -u postgres; id -g postgres")).split("\n")
    .map(Number);
  const { initdb } = await preparePostgresBinaries({ uid, gid });
  const data = "/var/lib/postgresql/new";
  const options = `-p ${port} -k /run/postgresql -c listen_addresses=127.0.0.1 -c fsync=off`;
  // As Debian sets one up: people of this machine by their user, others by password.
  await machine.run(`
    install --directory --owner postgres --group postgres /run/postgresql ${data}
    su postgres -c "${initdb} --pgdata=${data} --locale=C.UTF-8 --encoding=UTF8 \
      --auth-local=peer --auth-host=scram-sha-256 > /dev/null"
    su postgres -c "${join(dirname(initdb), "pg_ctl")} start --pgdata=${data} --wait --timeout=180 \
      --log=${data}/log --options='${options}' > /dev/null"`);
  return port;
}

/** Connects to the database of the page's settings, as the service does. */
async function openDatabase(
  machine: FreshMachine,
): Promise<AsyncDisposable & { readonly sql: Sql }> {
  const { DATABASE_URL = "" } = readPairs(
    await Deno.readTextFile(machine.locate("/etc/messaging.env")),
  );
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}

function findStep(name: string): DocumentedStep {
  const step = steps.find((each) => each.name === name);
  if (step === undefined) throw new Error(`docs/one-machine.md has no step "${name}"`);
  return step;
}

/** Major versions of the Postgres of Debian's packages, the oldest first. */
async function listVersions(): Promise<string[]> {
  try {
    await Deno.stat("/usr/bin/pg_createcluster");
    const versions = Array.from(Deno.readDirSync("/usr/lib/postgresql"), ({ name }) => name);
    return versions.sort((a, b) => Number(a) - Number(b));
  } catch {
    return [];
  }
}

/** Puts what git would have of this folder into a repository, and that into /opt/messaging. */
async function storeSource(machine: FreshMachine): Promise<void> {
  const listed = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
    cwd: root,
  }).output();
  const tar = new Deno.Command("tar", {
    args: ["--create", "--null", "--files-from=-", `--file=${machine.locate("/opt/source.tar")}`],
    cwd: root,
    stdin: "piped",
  }).spawn();
  const writer = tar.stdin.getWriter();
  await writer.write(listed.stdout);
  await writer.close();
  assert((await tar.status).success);
  await machine.run(`
    git init --quiet /srv/origin
    tar --extract --file=/opt/source.tar --directory=/srv/origin --no-same-owner
    cd /srv/origin
    git config user.name test && git config user.email test@example.com
    git add --all && git commit --quiet --message "This version"
    git clone --quiet /srv/origin /opt/messaging`);
}

/** The next version, and a commit after it, which is of no version yet. */
async function releaseNextVersion(machine: FreshMachine): Promise<void> {
  await machine.run(`
    cd /srv/origin
    echo "alter table messaging.messages add column of_next_version boolean;" \
      > migrations/20900101000000_next_version.sql
    sed --in-place 's/version = ".*"/version = "90.0.0"/' shared/model/version.ts
    git add --all && git commit --quiet --message "The next version"
    echo "select 1;" > migrations/20900102000000_unreleased.sql
    git add --all && git commit --quiet --message "What comes after it"`);
}

/** One of the files that the service keeps. */
const file = "/var/lib/messaging/media/of-a-message";
const unitPath = "/etc/systemd/system/messaging.service";

async function writeUnit(machine: FreshMachine): Promise<void> {
  await Deno.mkdir(machine.locate("/etc/systemd/system"), { recursive: true });
  await Deno.writeTextFile(machine.locate(unitPath), findStep("unit").text);
}

/** Starts what systemd would start by the unit. */
async function startUnit(machine: FreshMachine, port: number): Promise<StartedProgram> {
  const unit = readPairs(await Deno.readTextFile(machine.locate(unitPath)));
  const settings = await Deno.readTextFile(machine.locate(unit["EnvironmentFile"] ?? ""));
  return machine.start({
    user: unit["User"] ?? "",
    folder: unit["WorkingDirectory"] ?? "",
    environment: { HOME: "/var/lib/messaging", ...readPairs(settings), PORT: `${port}` },
    args: (unit["ExecStart"] ?? "").split(" "),
  });
}

/** `NAME=value` of each line; a value may stand in quotes. */
function readPairs(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(
      text.matchAll(/^(\w+)=(.*)$/gm),
      ([, name = "", value = ""]) => [name, value.replace(/^"(.*)"$/, "$1")],
    ),
  );
}

async function untilReady({ servicePort }: Page): Promise<void> {
  await waitUntil(async () => {
    const response = await fetch(`http://127.0.0.1:${servicePort}/health/ready`);
    await response.body?.cancel();
    return response.ok;
  }, { timeoutMs: 300_000, what: "a ready service" });
}

async function endUnit(unit: StartedProgram): Promise<void> {
  await unit.terminate();
  const { code, output } = await unit.ended;
  assertEquals(code, 0, output);
  assertMatch(output, /"event":"service_stopped"/);
}

/** Lets the page's provider be the double: an own address stands in `baseUrl`. */
async function leadTo(machine: FreshMachine, baseUrl: string): Promise<void> {
  const path = machine.locate("/etc/messaging-provider.json");
  const config = JSON.parse(await Deno.readTextFile(path));
  assertEquals(Object.keys(config).length, 4);
  await Deno.writeTextFile(path, JSON.stringify({ ...config, baseUrl }));
}

interface Client {
  send(message: string): Promise<void>;
}

/** A caller with the token that the page's commands have printed. */
function toClient(port: number, printed: string): Client {
  const [, instanceId, token = ""] = /^instance (\S+), token (mia_\S+)$/m.exec(printed) ?? [];
  return {
    send: async (message) => {
      const body = { instanceId, phone: "5511988887777", messageType: "text", message };
      const response = await fetch(`http://127.0.0.1:${port}/functions/v1/send-message`, {
        method: "POST",
        headers: { "x-client-token": token, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      assertEquals(response.status, 200, await response.text());
    },
  };
}
