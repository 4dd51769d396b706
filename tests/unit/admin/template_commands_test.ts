import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { plain } from "../templates/submission/rule_cases.ts";

async function run(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<[number, string, string]> {
  let [out, errors] = ["", ""];
  const code = await runAdminCommand({
    api: { call: () => Promise.reject(new Error("no call of admin-api is expected")) },
    print: (text) => void (out += text),
    printError: (text) => void (errors += text),
    readFile: (path) => {
      const text = files[path];
      return text === undefined ? Promise.reject(new Error(path)) : Promise.resolve(text);
    },
    readStdin: () => Promise.resolve(""),
  }, args);
  return [code, out, errors];
}

const files = {
  "right.json": JSON.stringify(plain),
  "wrong.json": JSON.stringify({
    ...plain,
    components: [{ type: "BODY", text: "Seu pedido saiu: {{1}}" }],
  }),
  "text.txt": "Olá",
};

Deno.test("a template file is checked without the service, and every fault has its path and code", async () => {
  assertEquals(await run(files, "templates", "validate", "right.json"), [
    0,
    "right.json: valid\n",
    "",
  ]);
  const [code, out, errors] = await run(files, "templates", "validate", "right.json", "wrong.json");
  assertEquals([code, errors], [1, "1 of 2 templates break the channel's rules.\n"]);
  assert(out.includes("components.0.text: must not begin or end with a variable"));
  assert(out.includes("(variable_at_edge, Meta 2388299)"));
});

Deno.test("with --json the faults are data, and a file that cannot be read is named", async () => {
  const [, json] = await run(files, "--json", "templates", "validate", "wrong.json");
  const [{ file, valid, issues }] = JSON.parse(json).items;
  assertEquals([file, valid, issues.length], ["wrong.json", false, 2]);
  const missing = await run(files, "templates", "validate", "none.json");
  assertEquals(missing, [1, "", "The file none.json cannot be read.\n"]);
  const text = await run(files, "templates", "validate", "text.txt");
  assertEquals(text, [1, "", "The file text.txt is not JSON.\n"]);
});

/** An admin-api with templates, which records what it is sent. */
function startService(stored: readonly object[]): {
  readonly calls: unknown[];
  readonly run: (...args: readonly string[]) => Promise<[number, string, string]>;
  readonly folder: Map<string, string>;
} {
  const calls: unknown[] = [];
  const folder = new Map<string, string>();
  const run = async (...args: readonly string[]): Promise<[number, string, string]> => {
    let [out, errors] = ["", ""];
    const code = await runAdminCommand({
      api: {
        call: (method, path, body) => {
          if (method === "GET") {
            return Promise.resolve({ success: true, items: stored, nextCursor: null });
          }
          calls.push([method, path, body]);
          return Promise.resolve({ success: true, providerStatus: "PENDING" });
        },
      },
      print: (text) => void (out += text),
      printError: (text) => void (errors += text),
      readFile: (path) => {
        const text = folder.get(path);
        return text === undefined ? Promise.reject(new Error(path)) : Promise.resolve(text);
      },
      writeFile: (path, text) => Promise.resolve(void folder.set(path, text)),
      listFolder: (path) =>
        Promise.resolve(
          [...folder.keys()].filter((file) => file.startsWith(`${path}/`))
            .map((file) => file.slice(path.length + 1)),
        ),
      readStdin: () => Promise.resolve(""),
    }, args);
    return [code, out, errors];
  };
  return { calls, run, folder };
}

const ofInstance = ["--instance", "i"] as const;
const storedPlain = {
  ...plain,
  templateId: "t1",
  providerStatus: "APPROVED",
  providerTemplateId: "1",
  components: [{ type: "BODY", text: "Seu pedido saiu.", example: {} }],
};

Deno.test("templates are written as files, which a push takes for what is stored", async () => {
  const { run, folder, calls } = startService([storedPlain, {
    ...storedPlain,
    ...{ name: "velho", templateId: "t2", providerStatus: "DELETED" },
  }]);
  assertEquals(await run("templates", "pull", "t", ...ofInstance), [
    0,
    "written t/aviso.pt_BR.json\n",
    "",
  ]);
  assertEquals([...folder.keys()], ["t/aviso.pt_BR.json"]);
  assertEquals(
    (await run("templates", "pull", "t", ...ofInstance))[1],
    "unchanged t/aviso.pt_BR.json\n",
  );
  assertEquals(await run("templates", "push", "t", ...ofInstance), [0, "= aviso pt_BR\n", ""]);
  assertEquals(calls, []);
});

Deno.test("a push submits what is new or changed, and a dry run shows the difference alone", async () => {
  const { run, folder, calls } = startService([storedPlain, {
    ...storedPlain,
    ...{ name: "rascunho", templateId: "t3", providerStatus: null, providerTemplateId: null },
  }]);
  const changed = { ...plain, components: [{ type: "BODY", text: "Seu pedido chegou." }] };
  folder.set("t/a.json", JSON.stringify(changed));
  folder.set("t/b.json", JSON.stringify({ ...plain, name: "novo" }));
  folder.set("t/c.json", JSON.stringify({ ...plain, name: "rascunho" }));
  folder.set("t/read.me", "no template");
  const [code, out] = await run("templates", "push", "t", "--dry-run", ...ofInstance);
  assertEquals([code, out, calls], [
    0,
    '~ aviso pt_BR\n    components.0.text: "Seu pedido saiu." -> "Seu pedido chegou."\n' +
    "+ novo pt_BR\n+ rascunho pt_BR\n",
    [],
  ]);
  assertEquals((await run("templates", "push", "t", ...ofInstance))[0], 0);
  const told = calls.map((call) => (call as string[]).slice(0, 2).join(" "));
  assertEquals(told, [
    "PATCH templates/t1",
    "POST templates",
    "PATCH templates/t3",
    "POST templates/t3/submit",
  ]);
});

Deno.test("a file as it is stored may break a rule, for it is not submitted", async () => {
  const carousel = { ...storedPlain, components: [{ type: "CAROUSEL", cards: [] }] };
  const { run, folder, calls } = startService([carousel]);
  await run("templates", "pull", "t", ...ofInstance);
  folder.set("t/b.json", JSON.stringify({ ...plain, name: "novo" }));
  assertEquals((await run("templates", "push", "t", ...ofInstance))[0], 0);
  assertEquals(calls.length, 1);
  folder.set("t/aviso.pt_BR.json", JSON.stringify({ ...carousel, category: "MARKETING" }));
  assertEquals((await run("templates", "push", "t", ...ofInstance))[0], 1);
  assertEquals(calls.length, 1);
});

Deno.test("other minutes of a code are a change", async () => {
  const code = (minutes: number): object => ({
    ...storedPlain,
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: minutes },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
    ],
  });
  const { run, folder } = startService([code(5)]);
  folder.set("t/a.json", JSON.stringify(code(10)));
  const [, shown] = await run("templates", "push", "t", "--dry-run", ...ofInstance);
  assertEquals(shown, "~ aviso pt_BR\n    components.1.code_expiration_minutes: 5 -> 10\n");
});

Deno.test("a draft beside what is submitted is neither a file nor compared with one", async () => {
  const draft = { templateId: "t0", providerStatus: null, providerTemplateId: null };
  const { run, folder, calls } = startService([{ ...storedPlain, ...draft }, storedPlain]);
  const pulled = await run("templates", "pull", "t", ...ofInstance);
  assertEquals(pulled[1], "written t/aviso.pt_BR.json\n");
  assertEquals(folder.size, 1);
  assertEquals((await run("templates", "push", "t", ...ofInstance))[1], "= aviso pt_BR\n");
  assertEquals(calls, []);
});

Deno.test("a push submits nothing where one file breaks a rule", async () => {
  const { run, folder, calls } = startService([]);
  folder.set("t/a.json", JSON.stringify(plain));
  folder.set("t/b.json", files["wrong.json"]);
  const [code, out, errors] = await run("templates", "push", "t", ...ofInstance);
  assertEquals([code, out, calls], [1, "", []]);
  assert(errors.includes("variable_at_edge") && errors.includes("1 of 2 templates"));
});

Deno.test("a template is shown as its file", async () => {
  const { run } = startService([storedPlain]);
  const [code, out] = await run("templates", "show", "aviso", ...ofInstance);
  assertEquals([code, JSON.parse(out).components], [0, storedPlain.components]);
  assertEquals((await run("templates", "show", "outro", ...ofInstance))[0], 1);
});

Deno.test("a template of any name is written within the folder, a file each, and a push finds it", async () => {
  const names = ["../../../x", "aviso", "Aviso", "con", "", "a/b", "x".repeat(600), "\u001b[2J"];
  const stored = names.map((name, place) => ({
    ...{ ...storedPlain, name, templateId: `t${place}`, providerTemplateId: `${place}` },
  }));
  const { run, folder, calls } = startService(stored);
  assertEquals((await run("templates", "pull", "t", ...ofInstance))[0], 0);
  const paths = [...folder.keys()];
  assertEquals(new Set(paths.map((path) => path.toLowerCase())).size, names.length);
  assertEquals(paths.filter((path) => !/^t\/[a-z0-9_-]+\.pt_BR\.json$/.test(path)), []);
  const [code] = await run("templates", "push", "t", ...ofInstance);
  assertEquals([code, calls], [0, []]);
});
