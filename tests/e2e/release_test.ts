import { join } from "node:path";
import { ReleaseError, writeRelease } from "../../supabase/tools/release.ts";
import {
  findReleaseProblems,
  hashMigrations,
  readReleasedMigrations,
} from "../../supabase/tools/migrations/released_migrations.ts";
import { assertEquals, assertMatch, assertRejects } from "../support/assert.ts";

const release = { version: "1.1.0", formerVersion: "1.0.0", day: "2030-01-02" };

Deno.test("a release dates the changelog, writes the version and freezes the migrations", async () => {
  await using repository = await createRepository("- A new thing.\n");
  await writeRelease(repository.root, release);
  assertMatch(
    await repository.read("CHANGELOG.md"),
    /## \[Unreleased\]\n\n## \[1\.1\.0\] - 2030-01-02\n\n- A new/,
  );
  assertEquals(await repository.read("shared/model/version.ts"), versionFile("1.1.0"));
  assertEquals(await repository.read(dateFile), dateText("2030-01-02"));
  assertEquals(
    await repository.read("README.md"),
    "Since 1.0.0:\nMessaging Integration API 1.1.0 on http://127.0.0.1:54321\n",
  );
  const manifest = JSON.parse(await repository.read("packages/client/package.json"));
  const lock = JSON.parse(await repository.read("packages/client/package-lock.json"));
  assertEquals([manifest.version, lock.version, lock.packages[""].version], [
    ...["1.1.0", "1.1.0", "1.1.0"],
  ]);
  assertEquals(await repository.findProblems(), []);

  await repository.write("migrations/20300101000000_first.sql", "select 2;");
  await repository.write("migrations/20290101000000_late.sql", "select 1;");
  assertEquals(await repository.findProblems(), [
    "20300101000000_first.sql belongs to 1.1.0 and has been edited: restore it, and write a new migration",
    "20290101000000_late.sql is new and must come after 20300101000000_first.sql",
  ]);
  await assertRejects(
    () => writeRelease(repository.root, { ...release, formerVersion: "1.0.9" }),
    ReleaseError,
    "nothing under Unreleased",
  );
});

Deno.test("a release without changes, or below the present version, is refused and writes nothing", async () => {
  await using repository = await createRepository("");
  await assertRejects(() => writeRelease(repository.root, release), ReleaseError, "nothing under");
  const lower = { ...release, formerVersion: "1.10.0" };
  await assertRejects(
    () => writeRelease(repository.root, lower),
    ReleaseError,
    "1.1.0 is not above 1.10.0",
  );
  assertEquals(
    await readReleasedMigrations(join(repository.root, "supabase/released_migrations.json")),
    {},
  );
});

Deno.test("a patch leaves the contract's date as it is", async () => {
  await using repository = await createRepository("- A fault less.\n");
  await writeRelease(repository.root, { ...release, version: "1.0.1" });
  assertEquals(await repository.read(dateFile), dateText("2029-01-01"));
});

const dateFile = "shared/model/contract_date.ts";

function versionFile(version: string): string {
  return `export const version = "${version}";\n`;
}

function dateText(day: string): string {
  return `export const contractDate = "${day}";\n`;
}

interface Repository extends AsyncDisposable {
  readonly root: string;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  findProblems(): Promise<string[]>;
}

async function createRepository(unreleased: string): Promise<Repository> {
  const root = await Deno.makeTempDir({ prefix: "messaging-release-" });
  for (const folder of ["migrations", "supabase", "shared/model", "packages/client"]) {
    await Deno.mkdir(join(root, folder), { recursive: true });
  }
  const write = (path: string, text: string): Promise<void> =>
    Deno.writeTextFile(join(root, path), text);
  await write(
    "CHANGELOG.md",
    `# Changelog\n\n## [Unreleased]\n\n${unreleased}\n## [1.0.0] - 2029-01-01\n`,
  );
  await write("shared/model/version.ts", versionFile("1.0.0"));
  await write(dateFile, dateText("2029-01-01"));
  await write(
    "README.md",
    "Since 1.0.0:\nMessaging Integration API 1.0.0 on http://127.0.0.1:54321\n",
  );
  await write("packages/client/package.json", '{ "name": "a", "version": "1.0.0" }');
  await write(
    "packages/client/package-lock.json",
    '{ "version": "1.0.0", "packages": { "": { "version": "1.0.0" } } }',
  );
  await write("migrations/20300101000000_first.sql", "select 1;");
  return {
    root,
    write,
    read: (path) => Deno.readTextFile(join(root, path)),
    findProblems: async () =>
      findReleaseProblems(
        await readReleasedMigrations(join(root, "supabase/released_migrations.json")),
        await hashMigrations(join(root, "migrations")),
      ),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}
