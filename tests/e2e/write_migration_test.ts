import { join } from "node:path";
import { MigrationError } from "../../supabase/host/migration_files.ts";
import { version } from "../../shared/model/version.ts";
import { startThrowawayPostgres } from "../../supabase/local/throwaway_postgres.ts";
import { chooseMigrationName } from "../../supabase/tools/migrations/open_migrations.ts";
import { assert, assertEquals, assertMatch, assertRejects } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import { type ScratchSchemas, writeSchemas } from "../support/releases/scratch_schemas.ts";

const firstRelease = new Date("2030-05-06T07:08:09Z");
const contacts = "contacts/tables/contacts.sql";

/** The first release: the repository's own way of writing, in little. */
const files = {
  "areas.json": JSON.stringify({
    first: ["schema.sql"],
    areas: ["tenancy", "contacts", "history"],
    last: [],
  }),
  "schema.sql": "create schema messaging;\ngrant usage on schema messaging to service_role;\n",
  "tenancy/tables/instances.sql": `create table messaging.instances (
  id uuid primary key default gen_random_uuid()
);
alter table messaging.instances enable row level security;\n`,
  [contacts]: `create table messaging.contacts (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id) on delete cascade,
  name text,
  constraint contacts_instance check (instance_id is not null)
);
alter table messaging.contacts enable row level security;
comment on column messaging.contacts.name is 'As it was given.';\n`,
  "history/rpc/read_history.sql": `create or replace function public.read_history(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (select jsonb_agg(c.name) from messaging.contacts c);
end;
$$;
revoke all on function public.read_history(jsonb) from public, anon, authenticated;
grant execute on function public.read_history(jsonb) to service_role;\n`,
};

Deno.test("deno task db:migration", async (t) => {
  await using server = await startThrowawayPostgres(copyCluster);
  const copy = async (): Promise<ScratchSchemas> => {
    const scratch = await writeSchemas(files, { serverUrl: server.databaseUrl, now: firstRelease });
    const { remaining, byHand } = await scratch.migrate("tables");
    assertEquals([remaining, byHand], [[], []]);
    await scratch.release();
    return scratch;
  };

  await t.step(
    "columns, indexes, comments, constraints, tables and functions are written, and both agree",
    async () => {
      await using scratch = await copy();
      await scratch.edit(
        contacts,
        (text) =>
          text.replace(
            "\n  constraint ",
            "\n  shoe_size integer not null default 0,\n  constraint ",
          ) +
          `create index contacts_shoe_size on messaging.contacts (shoe_size);
comment on column messaging.contacts.shoe_size is 'European sizes.';
alter table messaging.contacts add constraint contacts_have_feet check (shoe_size >= 0);\n`,
      );
      await scratch.write(
        "contacts/tables/shoes.sql",
        `create table messaging.shoes (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id) on delete cascade
);
create index shoes_instance on messaging.shoes (instance_id);
alter table messaging.shoes enable row level security;
revoke all on table messaging.shoes from public, anon, authenticated;
grant select on table messaging.shoes to service_role;\n`,
      );
      await scratch.edit(
        "history/rpc/read_history.sql",
        (text) => text.replace("begin\n", "begin\n  -- Read.\n"),
      );
      await scratch.write(
        "contacts/internal/count_shoes.sql",
        functionFile("count_shoes(owner uuid)", "bigint"),
      );
      const report = await scratch.migrate("add_shoes");
      assertEquals(report.remaining, []);
      assertEquals(report.byHand, []);
      assertEquals(report.written, [
        "20300506070810_add_shoes.sql",
        "20300506070811_add_shoes_validate.sql",
      ]);
      assertMatch(
        report.beforehand.join(),
        /create index concurrently if not exists contacts_shoe_size/,
      );
      assertMatch(
        await scratch.read(report.written[0]),
        /check \(\(?shoe_size >= 0\)?\) not valid/i,
      );

      assertMatch(
        report.beforehand.join(),
        /build it first: alter table messaging\.contacts add column if not exists shoe_size .*; create index/,
      );

      await scratch.release();
      // The next release changes what an internal function returns, grants more, and explains another way.
      await scratch.write(
        "contacts/internal/count_shoes.sql",
        functionFile("count_shoes(owner uuid)", "text"),
      );
      await scratch.edit(
        "contacts/tables/shoes.sql",
        (text) => text.replace("grant select", "grant select, insert"),
      );
      await scratch.edit(contacts, (text) => text.replace("European sizes.", "Sizes of Brazil."));
      const second = await scratch.migrate("count_shoes_as_text");
      assertEquals([second.remaining, second.byHand], [[], []]);
      await scratch.release();
      assertEquals((await scratch.migrate("nothing")).written, []);
    },
  );

  await t.step("what the former release may use goes only by a contract migration", async () => {
    await using scratch = await copy();
    await scratch.edit(
      contacts,
      (text) => text.replace("\n  constraint ", "\n  old_name text,\n  constraint "),
    );
    assertEquals((await scratch.migrate("add_old_name")).remaining, []);
    await scratch.release();
    await scratch.edit(
      contacts,
      (text) => text.replace("\n  old_name text,", "\n  new_name text,"),
    );
    const expanding = await scratch.migrate("rename");
    assertEquals(expanding.remaining.map(({ identity }) => identity), [
      "messaging.contacts.old_name",
    ]);
    assertMatch(expanding.byHand.join(), /old_name is gone from the schemas: the release before/);
    // What the new functions need comes before the contract step, whose file only removes.
    await scratch.edit(
      "history/rpc/read_history.sql",
      (text) => text.replace("begin\n", "begin\n  -- Without the old name.\n"),
    );
    await scratch.release();
    const contracting = await scratch.migrate("drop_old_name", "contract");
    assertEquals(contracting.remaining, []);
    assertEquals(contracting.byHand, []);
    const [early, late] = contracting.written;
    assertMatch(contracting.written.join(), /_drop_old_name\.sql,\d+_contract_drop_old_name\.sql$/);
    assertMatch(await scratch.read(early), /function public\.read_history/);
    assertMatch(
      await scratch.read(late),
      /^-- [^\n]+\n\n(set local [^;]+;\n\n){2}alter table messaging\.contacts drop column old_name;\n$/,
    );
  });

  await t.step("a release has one open migration, which is written anew", async () => {
    await using scratch = await copy();
    await scratch.edit(contacts, (text) => text.replace("name text", "name text,\n  shoes text"));
    const first = await scratch.migrate("next_release");
    const dataStep = "20400101000000_fill_shoes.sql";
    await Deno.writeTextFile(
      join(scratch.folders.migrations, dataStep),
      "update messaging.contacts set shoes = 'two' where shoes is null;\n",
    );
    await scratch.edit(contacts, (text) => text.replace("shoes text", "shoes text,\n  hat text"));
    await assertRejects(
      () => scratch.migrate("another"),
      MigrationError,
      `${
        first.written[0]
      } is not released yet: \`deno task db:migration --replace\` writes it anew.`,
    );
    const second = await scratch.replace();
    assertEquals([second.remaining, second.byHand], [[], []]);
    assertEquals(second.written, first.written);
    assertMatch(
      await scratch.read(second.written[0]),
      /add column[^;]+ shoes[^]+add column[^;]+ hat/,
    );
    assertMatch(await scratch.read(dataStep), /^update messaging\.contacts/);
  });

  await t.step("the same command begins the first migration after a release", async () => {
    await using scratch = await copy();
    await scratch.edit(contacts, (text) => text.replace("name text", "name text,\n  shoes text"));
    const begun = await scratch.replace();
    assertEquals([begun.remaining, begun.byHand], [[], []]);
    assertEquals(begun.written.map((file) => file.slice(15)), [
      `${chooseMigrationName({ step: "expand" }, undefined, version)}.sql`,
    ]);
    await assertRejects(
      () => scratch.replace(undefined, "contract"),
      MigrationError,
      "`deno task db:migration <name> --contract`",
    );
  });

  await t.step("a bound function is made after what it calls, and anew when that is", async () => {
    await using scratch = await copy();
    const rule = (name: string, returned: string, body: string) =>
      scratch.write(
        `contacts/rules/${name}.sql`,
        `create or replace function messaging.${name}(name text)\nreturns ${returned}\n` +
          `language sql\nstable\nreturn ${body};\n`,
      );
    // Sorted by name the caller would come first.
    await rule("can_be_named", "boolean", "messaging.shown_name(name) is not null");
    await rule("shown_name", "text", "nullif(trim(name), '')");
    const first = await scratch.migrate("rules");
    assertEquals([first.remaining, first.byHand], [[], []]);
    await scratch.release();

    await rule("shown_name", "varchar", "nullif(trim(name), '')");
    const second = await scratch.migrate("shown_names_as_varchar");
    assertEquals([second.remaining, second.byHand], [[], []]);
    await scratch.release();

    await Deno.remove(join(scratch.folders.schemas, "contacts/rules"), { recursive: true });
    const third = await scratch.migrate("no_rules");
    assertEquals([third.remaining, third.byHand], [[], []]);
  });

  await t.step(
    "of a file's functions those are written that have changed, each after what it calls",
    async () => {
      await using scratch = await copy();
      const rule = (name: string, body: string): string =>
        `create or replace function messaging.${name}(name text)\nreturns boolean\n` +
        `language sql\nstable\nreturn ${body};\n`;
      const write = (longest: number): Promise<void> =>
        scratch.write(
          "contacts/rules/can_be_named.sql",
          `${rule("can_be_named", "messaging.is_short(name) and messaging.is_said(name)")}\n` +
            `${rule("is_said", "trim(name) <> ''")}\n` +
            `-- Fits a line.\n${rule("is_short", `length(name) < ${longest}`)}`,
        );
      await write(20);
      const first = await scratch.migrate("names");
      assertEquals([first.remaining, first.byHand], [[], []]);
      await scratch.release();
      await write(30);
      const second = await scratch.migrate("longer_names");
      assertEquals([second.remaining, second.byHand], [[], []]);
      assertMatch(
        await scratch.read(second.written[0]),
        /check_function_bodies = off;\n\n-- Fits a line\.\n[^;]+is_short[^;]+< 30;\n$/,
      );
    },
  );

  await t.step(
    "a trigger comes after the function that stands below it",
    async () => {
      await using scratch = await copy();
      const areas = JSON.parse(files["areas.json"]);
      await scratch.write(
        "areas.json",
        JSON.stringify({ ...areas, last: ["contacts/triggers.sql"] }),
      );
      const write = (returned: string): Promise<void> =>
        scratch.write(
          "contacts/triggers.sql",
          "create trigger contacts_name before insert on messaging.contacts for each row\n" +
            "execute function messaging.name_contact();\n\n" +
            "create or replace function messaging.name_contact()\nreturns trigger\n" +
            `language plpgsql\nset search_path = ''\nas $$ begin return ${returned}; end $$;\n`,
        );
      await write("new");
      const first = await scratch.migrate("triggers");
      assertEquals([first.remaining, first.byHand], [[], []]);
      await scratch.release();
      await write("null");
      const second = await scratch.migrate("no_contacts");
      assertEquals([second.remaining, second.byHand], [[], []]);
      assertEquals(/create trigger/.test(await scratch.read(second.written[0])), false);
    },
  );

  await t.step(
    "a type's attributes are added in their order, one among them is a person's",
    async () => {
      await using scratch = await copy();
      const write = (attributes: string): Promise<void> =>
        scratch.write(
          "contacts/tables/shoe.sql",
          `create type messaging.shoe as (${attributes});\n`,
        );
      await write("size integer");
      await scratch.migrate("shoe");
      await scratch.release();
      await write("size integer, width integer, color text");
      const wider = await scratch.migrate("wider_shoe");
      assertEquals([wider.remaining, wider.byHand], [[], []]);
      assertMatch(await scratch.read(wider.written[0]), /attribute width[^]+attribute color/);
      await scratch.release();
      await write("size integer, brand text, width integer, color text");
      assertMatch((await scratch.migrate("brand")).byHand.join(), /shoe has changed, or has its/);
    },
  );

  await t.step(
    "a list of values that grows is written, one that shrinks is a person's",
    async () => {
      await using scratch = await copy();
      const allow = (values: string) =>
        scratch.edit(
          contacts,
          (text) =>
            text.replace(
              /constraint contacts_instance .*|constraint contacts_named .*/,
              `constraint contacts_named check (name in (${values}))`,
            ),
        );
      await allow("'a', 'b'");
      await scratch.migrate("two_names", "contract");
      await scratch.release();
      await allow("'a', 'b', 'c'");
      const wider = await scratch.migrate("three_names");
      assertEquals([wider.remaining, wider.byHand, wider.written.length], [[], [], 2]);
      await scratch.release();
      await allow("'a', 'c'");
      assertMatch((await scratch.migrate("other_names")).byHand.join(), /contacts_named was/);
    },
  );

  await t.step("changed and mandatory columns are named for a person to write", async () => {
    await using scratch = await copy();
    await scratch.edit(
      contacts,
      (text) =>
        text.replace("\n  constraint ", "\n  must_have text not null,\n  constraint ")
          .replace("  name text", "  name varchar(9)"),
    );
    const { written, byHand, remaining } = await scratch.migrate("change_columns");
    assertEquals(written, []);
    assertEquals(byHand.map((sentence) => sentence.split(" ")[1]), [
      "messaging.contacts.name",
      "messaging.contacts.must_have",
    ]);
    assert(remaining.length >= 2);
  });
});

function functionFile(signature: string, returned: string): string {
  return `create or replace function messaging.${signature}
returns ${returned}
language sql
stable
set search_path = ''
as $$ select count(*)::${returned} from messaging.shoes where id = owner $$;
revoke all on function messaging.${signature} from public, anon, authenticated;\n`;
}
