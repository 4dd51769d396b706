import { Webhook } from "standardwebhooks";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { waitUntil } from "../support/wait_until.ts";
import { findFreePort } from "../support/free_port.ts";

/** How a receiver of docs/events.md is started from its file. */
interface Language {
  readonly name: string;
  /** Of the block in the page. */
  readonly fence: string;
  readonly file: string;
  command(file: string, port: number): readonly [string, ...string[]];
  /** Whether it works once on an event that comes again. */
  readonly keepsEvents?: true;
}

const languages: readonly Language[] = [
  {
    name: "Node",
    fence: "js",
    file: "receiver.mjs",
    command: (file) => ["node", file],
    keepsEvents: true,
  },
  {
    name: "TypeScript",
    fence: "ts",
    file: "receiver.ts",
    command: (file) => [Deno.execPath(), "run", "--allow-net", "--allow-env", file],
  },
  { name: "Python", fence: "python", file: "receiver.py", command: (file) => ["python3", file] },
  {
    name: "PHP",
    fence: "php",
    file: "receiver.php",
    command: (file, port) => ["php", "-S", `127.0.0.1:${port}`, file],
  },
];

const page = await Deno.readTextFile(new URL("../../docs/events.md", import.meta.url));
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const anotherSecret = "whsec_QW5vdGhlciBzZWNyZXQgb2YgMzIgYnl0ZXMhISEhISE=";
const body = JSON.stringify({
  id: "evt_1",
  type: "endpoint.test",
  sequence: 7,
  data: { name: "ã" },
});

for (const language of languages) {
  Deno.test({
    name: `the ${language.name} receiver of docs/events.md takes what is signed, and nothing else`,
    // Each language is run where the machine has it.
    ignore: !await isInstalled(language),
    fn: () => receivesOnlyWhatIsSigned(language),
  });
}

interface Receiver {
  readonly port: number;
  /** Kills it. @returns what it has printed. */
  end(): Promise<string>;
}

async function startReceiver(language: Language, folder: string): Promise<Receiver> {
  const port = findFreePort();
  const file = `${folder}/${language.file}`;
  await Deno.writeTextFile(file, readBlock(language.fence));
  const [program, ...args] = language.command(file, port);
  const receiver = new Deno.Command(program, {
    args,
    cwd: folder,
    env: { WEBHOOK_SECRET: secret, PORT: `${port}`, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const end = async (): Promise<string> => {
    receiver.kill("SIGKILL");
    const { stdout, stderr } = await receiver.output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  };
  await waitUntil(() => isListening(port), { what: "the receiver" }).catch(async (error) => {
    throw new Error(await end(), { cause: error });
  });
  return { port, end };
}

async function receivesOnlyWhatIsSigned(language: Language): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "event-receiver-" });
  const { port, end } = await startReceiver(language, folder);
  let printed = "";
  try {
    const now = new Date();
    const longAgo = new Date(now.getTime() - 600_000);
    assertEquals(await post(port, sign(secret, now), now), 204);
    assertEquals(await post(port, `v1,Zm9yZ2Vk ${sign(secret, now)}`, now), 204);
    assertEquals(await post(port, sign(anotherSecret, now), now), 401);
    assertEquals(await post(port, "", now), 401);
    assertEquals(await post(port, sign(secret, longAgo), longAgo), 401);
  } finally {
    printed = await end();
    await Deno.remove(folder, { recursive: true });
  }
  assertMatch(printed, /evt_1 endpoint\.test 7/);
  if (language.keepsEvents) assertEquals(printed.match(/evt_1/g)?.length, 1, printed);
}

Deno.test({
  name:
    "the Node receiver of docs/events.md works once on an event that comes again, after its restart too, and outlives strangers",
  ignore: languages[0] === undefined || !await isInstalled(languages[0]),
  fn: async () => {
    const [node] = languages;
    if (node === undefined) throw new Error("no Node");
    const folder = await Deno.makeTempDir({ prefix: "event-receiver-" });
    const deliver = ({ port }: Receiver): Promise<number> => {
      const at = new Date();
      return post(port, sign(secret, at), at);
    };
    try {
      const first = await startReceiver(node, folder);
      assertEquals(await Promise.all([deliver(first), deliver(first)]), [204, 204]);
      // A caller that goes away in the middle of its body, and one that sends too much.
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: first.port });
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{";
      await connection.write(new TextEncoder().encode(head));
      connection.close();
      const large = await fetch(`http://127.0.0.1:${first.port}/`, {
        method: "POST",
        body: "x".repeat(300_000),
      }).then(async (response) => {
        await response.body?.cancel();
        return response.status;
      }, () => 500);
      assertEquals(large, 500);
      assertEquals(await deliver(first), 204);
      assertEquals((await first.end()).match(/evt_1/g)?.length, 1);
      const second = await startReceiver(node, folder);
      assertEquals(await deliver(second), 204);
      assertEquals(await second.end(), "");
      const kept = Array.from(Deno.readDirSync(`${folder}/inbox`), ({ name }) => name);
      assertEquals(kept, ["evt_1.json"]);
      assertEquals(await Deno.readTextFile(`${folder}/inbox/evt_1.json`), body);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** The block of a language in the page. */
function readBlock(fence: string): string {
  const [, block = ""] = new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, "m").exec(page) ?? [];
  return block;
}

/** The signature of the event as the package makes it at this instant, which is part of it. */
function sign(key: string, at: Date): string {
  return new Webhook(key).sign("evt_1", at, body);
}

async function post(port: number, signature: string, at: Date): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": "evt_1",
      "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
      "webhook-signature": signature,
    },
    body,
  });
  await response.body?.cancel();
  return response.status;
}

async function isListening(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

async function isInstalled(language: Language): Promise<boolean> {
  const [program] = language.command("", 0);
  try {
    return (await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output())
      .success;
  } catch {
    return false;
  }
}
