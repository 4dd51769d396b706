import { assertEquals } from "../support/assert.ts";
import { isSymlink, listFolders, listNames, readSourceFiles, readText } from "./repository.ts";

const topLevel = [
  ...["supabase", "functions", "shared", "migrations", "packages", "tests", "docs"],
  ...["deno.json", "import_map.json", "deno.lock"],
  ...["Dockerfile", "compose.yaml"],
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
];

function findStrangers(names: readonly string[]): string[] {
  return names.filter((name) =>
    !topLevel.includes(name) && !name.startsWith(".") && name !== "node_modules"
  );
}

interface MigrationFolders {
  readonly migrations: readonly string[];
  readonly linked: readonly string[];
  readonly isLink: boolean;
}

/** The CLI reads only `supabase/migrations` and reports an empty or missing folder as up to date. */
function findMigrationFaults({ migrations, linked, isLink }: MigrationFolders): string[] {
  const misnamed = migrations.filter((name) => !/^\d{14}_[a-z0-9_]+\.sql$/.test(name));
  const faults = misnamed.map((name) => `${name} is not <timestamp>_<what>.sql`);
  if (linked.length > 0 && !isLink) faults.push("supabase/migrations is no symbolic link");
  if (JSON.stringify(migrations) !== JSON.stringify(linked)) {
    faults.push("supabase/migrations does not list what migrations does");
  }
  return faults;
}

interface Registration {
  /** The names of the folders in `functions`. */
  readonly slugs: readonly string[];
  readonly config: string;
  /** The page with the endpoint tables. */
  readonly reference: string;
}

/** The lines of `[functions.<slug>]` up to the next header, by slug, white space reduced. */
function parseFunctionBlocks(config: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of config.split("\n").map((text) => text.replace(/#.*$/, "").trim())) {
    const slug = /^\[functions\.(?:"([^"]+)"|([\w-]+))\]$/.exec(line);
    if (slug !== null) blocks.set(slug[1] ?? slug[2] ?? "", current = []);
    else if (line.startsWith("[")) current = undefined;
    else if (line !== "") current?.push(line.replace(/\s*=\s*/, " = "));
  }
  return blocks;
}

function findRegistrationFaults({ slugs, config, reference }: Registration): string[] {
  const blocks = parseFunctionBlocks(config);
  const rows = reference.split("\n").filter((line) => /^\s*\|/.test(line));
  const faults = slugs.flatMap((slug) => {
    const expected = [
      `entrypoint = "../functions/${slug}/index.ts"`,
      `import_map = "../import_map.json"`,
      "verify_jwt = false",
    ];
    const missing = expected.filter((line) => blocks.get(slug)?.includes(line) !== true);
    const hasRow = rows.some((row) => new RegExp(`(?<![\\w-])${slug}(?![\\w-])`).test(row));
    return [
      ...missing.map((line) => `config.toml, [functions.${slug}]: ${line}`),
      ...(hasRow ? [] : [`docs/api.md: no row for ${slug}`]),
    ];
  });
  const orphans = [...blocks.keys()].filter((slug) => !slugs.includes(slug));
  return [...faults, ...orphans.map((slug) => `config.toml, [functions.${slug}]: no such folder`)];
}

Deno.test("the rules are given the repository's files and folders", async () => {
  const paths = (await readSourceFiles("shared", "tests", "nowhere")).map(({ path }) => path);
  for (
    const path of [
      "shared/model/phone.ts",
      "shared/providers/provider.ts",
      "tests/support/assert.ts",
    ]
  ) {
    assertEquals(paths.includes(path), true, path);
  }
  assertEquals((await listFolders(".")).includes("shared"), true);
  assertEquals((await readText("import_map.json")).startsWith("{"), true);
  assertEquals(await readText("nowhere/at_all.ts"), "");
});

Deno.test("the top level holds what the user needs and nothing else", async () => {
  assertEquals(findStrangers(await listNames(".")), []);
});

Deno.test("an unknown file at the top level is found", () => {
  assertEquals(findStrangers([...topLevel, ".gitignore", "doc", "a.ts"]), ["doc", "a.ts"]);
});

Deno.test("supabase/migrations is a link that lists the same migrations", async () => {
  const faults = findMigrationFaults({
    migrations: await listNames("migrations"),
    linked: await listNames("supabase/migrations"),
    isLink: await isSymlink("supabase/migrations"),
  });
  assertEquals(faults, []);
});

Deno.test("a missing, copied or broken link to the migrations is found", () => {
  const migrations = ["20261120000000_contacts.sql"];
  assertEquals(findMigrationFaults({ migrations, linked: migrations, isLink: true }), []);
  assertEquals(findMigrationFaults({ migrations, linked: migrations, isLink: false }).length, 1);
  assertEquals(findMigrationFaults({ migrations, linked: [], isLink: false }).length, 1);
  assertEquals(findMigrationFaults({ migrations, linked: [], isLink: true }).length, 1);
  const misnamed = ["contacts.sql"];
  assertEquals(
    findMigrationFaults({ migrations: misnamed, linked: misnamed, isLink: true }).length,
    1,
  );
});

Deno.test("every function has its block in config.toml and its row in docs/api.md", async () => {
  const faults = findRegistrationFaults({
    slugs: await listFolders("functions"),
    config: await readText("supabase/config.toml"),
    reference: await readText("docs/api.md"),
  });
  assertEquals(faults, []);
});

Deno.test("a function that is not registered is found", () => {
  const config = `
    [functions.send-message]
    enabled = true
    verify_jwt = false # a client token guards it
    import_map="../import_map.json"
    entrypoint = "../functions/send-message/index.ts"
    [auth]
    enabled = false`;
  const reference = "| Function | What |\n|---|---|\n| `send-message` | sends |";
  const slugs = ["send-message"];
  assertEquals(findRegistrationFaults({ slugs, config, reference }), []);
  const find = (changed: Partial<Registration>): number =>
    findRegistrationFaults({ slugs, config, reference, ...changed }).length;
  assertEquals(find({ config: config.replace("verify_jwt = false", "verify_jwt = true") }), 1);
  assertEquals(find({ config: config.replace("../import_map.json", "./deno.json") }), 1);
  assertEquals(find({ config: config.replace("../functions/", "./functions/") }), 1);
  assertEquals(find({ config: config.replace("verify_jwt", "# verify_jwt") }), 1);
  assertEquals(find({ config: config.replace("[functions.send-message]", "[auth.email]") }), 3);
  assertEquals(find({ config: "" }), 3);
  assertEquals(find({ reference: "send-message" }), 1);
  assertEquals(find({ reference: "| `send-message-later` |" }), 1);
  assertEquals(find({ slugs: [...slugs, "message"] }), 4);
  assertEquals(find({ slugs: [] }), 1);
});
