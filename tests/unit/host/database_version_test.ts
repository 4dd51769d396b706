import { version } from "../../../shared/model/version.ts";
import { describeVersion, refuseForeignDatabase } from "../../../supabase/host/database_version.ts";
import type { AppliedMigration, Migration } from "../../../supabase/host/migration_files.ts";
import { StartError } from "../../../supabase/host/start_error.ts";
import { assertEquals, assertMatch, assertThrows } from "../../support/assert.ts";

const migrations = [createMigration("20270101000000"), createMigration("20270201000000")];
const place = { name: "The data in /srv/data", startAnew: "start on new data" };

function createMigration(version: string): Migration {
  return { version, name: "step", path: "", statements: [{ text: `select ${version}`, line: 1 }] };
}

function recordOf({ version }: Migration): AppliedMigration {
  return { version, statements: [`select ${version}`] };
}

function refuse(applied: readonly AppliedMigration[]): string {
  return assertThrows(() => refuseForeignDatabase(applied, migrations, place), StartError)
    .message;
}

Deno.test("a new database, one of this version and one of a former release are taken", () => {
  const applied = migrations.map(recordOf);
  for (const records of [[], applied, applied.slice(0, 1)]) {
    refuseForeignDatabase(records, migrations, place);
  }
});

Deno.test("a database of a newer version is refused in words that say what to do", () => {
  const applied = [...migrations, createMigration("20270301000000")].map(recordOf);
  assertEquals(
    refuse(applied),
    `The data in /srv/data belongs to a newer version: ${version} does not know its migrations 20270301000000. Start the version that ran on it last, or a later one, or start on new data.`,
  );
});

Deno.test("a database from before 1.0.0 is refused, whether its migrations had other texts or other names", () => {
  const [first] = migrations as [Migration];
  const otherText = { version: first.version, statements: ["select 'another'"] };
  const otherName = recordOf(createMigration("20261231000000"));
  for (const record of [otherText, otherName]) {
    assertMatch(
      refuse([record]),
      new RegExp(
        `^The data in /srv/data is from before 1\\.0\\.0, .* ${record.version} is not that of .* cannot be upgraded\\..* or start on new data\\.$`,
      ),
    );
  }
});

Deno.test("a database is of the release of its newest migration", () => {
  const release = (name: string): { release: string; sha256: string } => ({
    release: name,
    sha256: "",
  });
  const released = {
    "20270101000000_step.sql": release("1.0.0"),
    "20270201000000_step.sql": release("1.1.0"),
  };
  const [first] = migrations as [Migration];
  const unreleased = createMigration("20270301000000");
  assertEquals(describeVersion([first], released), "1.0.0");
  assertEquals(describeVersion(migrations, released), "1.1.0");
  assertEquals(describeVersion(migrations, released, "1.1.3"), "1.1.3");
  assertEquals(
    describeVersion([...migrations, unreleased], released),
    "1.1.0 with unreleased migrations",
  );
});
