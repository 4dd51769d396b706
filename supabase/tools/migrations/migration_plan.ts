/**
 * Turns the differences between the migrations and the schemas into statements, as far as they can be
 * applied while the former release's functions run. The rest is named for a person to write.
 */

import type { SchemaFile } from "./schema_files.ts";
import type { CatalogueDifference, CatalogueSection } from "./catalogue.ts";
import {
  findComment,
  findCreating,
  findCreatingFiles,
  findGrants,
  findTableSettings,
  readStatements,
  type SchemaStatement,
} from "./schema_statements.ts";

/** What a migration does to the functions that still run: nothing, or it ends what they use. */
export type MigrationStep = "expand" | "contract";

/** A new migration. */
export interface MigrationPlan {
  /** Statements with their semicolons, in order. */
  readonly statements: readonly string[];
  /**
   * Statements of a migration of its own, after the first. `validate constraint` reads a table, and
   * in the first it would do so under the lock that adding the constraint took.
   */
  readonly validations: readonly string[];
  /** What a person must write, or decide: one sentence each. */
  readonly byHand: readonly string[];
  /** What to do before the migration is applied to a large table. */
  readonly beforehand: readonly string[];
}

/** Where in a migration a statement belongs. */
const places = ["drops", "relations", "functions", "columns", "details", "lastDrops"] as const;

class Draft {
  readonly statements: Record<typeof places[number], string[]> = {
    drops: [],
    relations: [],
    functions: [],
    columns: [],
    details: [],
    lastDrops: [],
  };
  readonly validations: string[] = [];
  readonly byHand: string[] = [];
  readonly beforehand: string[] = [];

  add(place: typeof places[number], ...texts: readonly string[]): void {
    const known = this.statements[place];
    for (const text of texts) {
      const statement = text.trim().endsWith(";") ? text.trim() : `${text.trim()};`;
      if (!known.includes(statement)) known.push(statement);
    }
  }
}

/** The schemas, as a plan needs them. */
interface Schemas {
  readonly files: readonly SchemaFile[];
  readonly statements: readonly SchemaStatement[];
}

type Write = (draft: Draft, difference: CatalogueDifference, schemas: Schemas) => void;

/**
 * Plans a migration.
 *
 * @param differences from what the migrations build to what the schemas build.
 * @param files the schemas, in the order in which they are built.
 * @param step `contract` also removes what the schemas no longer have.
 */
export function planMigration(
  differences: readonly CatalogueDifference[],
  files: readonly SchemaFile[],
  step: MigrationStep,
): MigrationPlan {
  const draft = new Draft();
  const schemas = { files, statements: readStatements(files) };
  for (const difference of differences) {
    if (isPartOfWholeRelation(difference, differences)) continue;
    const { before, after } = difference;
    if (after === undefined) remove(draft, difference, step, differences);
    else if (before === undefined) writers[difference.section].add(draft, difference, schemas);
    else writeChange(draft, difference, schemas);
  }
  return {
    statements: places.flatMap((place) => draft.statements[place]),
    validations: draft.validations,
    byHand: draft.byHand,
    beforehand: draft.beforehand,
  };
}

/** A new table comes with its file, and a dropped one goes with all that is in it. */
function isPartOfWholeRelation(
  { section, identity, before, after }: CatalogueDifference,
  differences: readonly CatalogueDifference[],
): boolean {
  const { definition = "" } = after ?? before ?? {};
  const isPart = ["columns", "constraints", "indexes", "triggers", "policies", "sequences"]
    .includes(section);
  if (!isPart) return false;
  return differences.some((other) =>
    (other.section === "relations" || other.section === "types") &&
    (other.before === undefined || other.after === undefined) &&
    (identity.startsWith(`${other.identity}.`) ||
      identity.startsWith(`${other.identity}_`) && section === "sequences" ||
      section === "indexes" && definition.includes(` ON ${other.identity} `))
  );
}

function writeChange(draft: Draft, difference: CatalogueDifference, schemas: Schemas): void {
  const { section, before, after } = difference;
  if (before?.definition !== after?.definition) {
    writers[section].change(draft, difference, schemas);
    if (section === "functions") return;
  }
  if (before?.acl !== after?.acl) writeGrants(draft, difference, schemas);
  if (before?.comment !== after?.comment) writeComment(draft, difference, schemas);
}

const writers: Readonly<Record<CatalogueSection, { readonly add: Write; readonly change: Write }>> =
  {
    extensions: {
      add: (draft, { identity }) =>
        draft.add("drops", `create extension if not exists ${identity}`),
      change: byHand("moved to another schema"),
    },
    schemas: {
      add: (draft, { identity }, schemas) => {
        draft.add("drops", `create schema ${identity}`);
        draft.add("drops", ...findGrants(schemas.statements, identity).map(({ text }) => text));
      },
      change: byHand("has changed"),
    },
    types: { add: addFile("type"), change: byHand("has changed: write `alter type`") },
    relations: { add: addFile("table"), change: changeRelation },
    columns: { add: addColumn, change: changeColumn },
    sequences: { add: () => {}, change: byHand("has changed: write `alter sequence`") },
    functions: { add: addFunction, change: changeFunction },
    views: { add: addCreating("view"), change: addCreating("view") },
    constraints: { add: addConstraint, change: changeConstraint },
    indexes: {
      add: addIndex,
      change: byHand("has another definition: give the new index a name of its own"),
    },
    triggers: { add: addCreating("trigger"), change: changeOnTable("trigger") },
    policies: { add: addCreating("policy"), change: changeOnTable("policy") },
    defaultPrivileges: {
      add: byHand("is new: write `alter default privileges`"),
      change: byHand("has changed: write `alter default privileges`"),
    },
  };

const nouns: Readonly<Record<CatalogueSection, string>> = {
  extensions: "extension",
  schemas: "schema",
  types: "type",
  relations: "table",
  columns: "column",
  sequences: "sequence",
  functions: "function",
  views: "view",
  constraints: "constraint",
  indexes: "index",
  triggers: "trigger",
  policies: "policy",
  defaultPrivileges: "default privileges",
};

function byHand(what: string): Write {
  return (draft, { section, identity }) => {
    draft.byHand.push(`${nouns[section]} ${identity} ${what}`);
  };
}

function addFile(kind: "table" | "type"): Write {
  return (draft, { section, identity }, { files, statements }) => {
    // A table's row type has the table's name and is no object of its own in the schemas.
    const paths = findCreatingFiles(statements, kind, identity);
    if (paths.length === 0) draft.byHand.push(`${nouns[section]} ${identity} is in no schema file`);
    // In the order of the schemas: a table comes after those that it references.
    const wanted = files.filter(({ path }) => paths.includes(path) || isAdded(draft, path, files));
    draft.statements.relations.splice(0);
    draft.add("relations", ...wanted.map(renderFile));
  };
}

function isAdded(draft: Draft, path: string, files: readonly SchemaFile[]): boolean {
  const file = files.find((each) => each.path === path);
  return file !== undefined && draft.statements.relations.includes(renderFile(file));
}

function addFunction(
  draft: Draft,
  difference: CatalogueDifference,
  { files, statements }: Schemas,
): void {
  const { identity } = difference;
  const name = identity.slice(0, identity.indexOf("("));
  const paths = findCreatingFiles(statements, "function", name);
  if (paths.length === 0) draft.byHand.push(`function ${identity} is in no schema file`);
  draft.add("functions", ...files.filter(({ path }) => paths.includes(path)).map(renderFile));
}

/** `create or replace` cannot change what a function returns or how its arguments are named. */
function changeFunction(draft: Draft, difference: CatalogueDifference, schemas: Schemas): void {
  const { identity, before, after } = difference;
  if (readSignature(before?.definition) !== readSignature(after?.definition)) {
    draft.add("drops", `drop function ${identity}`);
  }
  addFunction(draft, difference, schemas);
}

function readSignature(definition: string | undefined): string {
  return /^[^]*?\n LANGUAGE/.exec(definition ?? "")?.[0] ?? "";
}

function addCreating(kind: "trigger" | "policy" | "view"): Write {
  return (draft, { section, identity }, { statements }) => {
    const name = identity.slice(identity.lastIndexOf(".") + 1);
    const creating = findCreating(statements, kind, name);
    if (creating === undefined) {
      draft.byHand.push(`${nouns[section]} ${identity} is in no schema file`);
    } else draft.add("details", creating.text);
  };
}

function changeOnTable(kind: "trigger" | "policy"): Write {
  return (draft, difference, schemas) => {
    draft.add("details", dropOnTable(kind, difference.identity));
    addCreating(kind)(draft, difference, schemas);
  };
}

function dropOnTable(kind: "trigger" | "policy" | "constraint", identity: string): string {
  const at = identity.lastIndexOf(".");
  const [table, name] = [identity.slice(0, at), identity.slice(at + 1)];
  return kind === "constraint"
    ? `alter table ${table} drop constraint ${name}`
    : `drop ${kind} ${name} on ${table}`;
}

function changeRelation(
  draft: Draft,
  difference: CatalogueDifference,
  { statements }: Schemas,
): void {
  const settings = findTableSettings(statements, difference.identity);
  draft.add("details", ...settings.map(({ text }) => text));
  if (settings.length === 0) {
    draft.byHand.push(`table ${difference.identity} has other settings: write \`alter table\``);
  }
}

/** A column of a table with rows: Postgres adds it without a rewrite where its default is no call. */
function addColumn(draft: Draft, difference: CatalogueDifference, schemas: Schemas): void {
  const { identity, after } = difference;
  const { relation, name } = splitColumn(identity);
  const definition = after?.definition ?? "";
  if (/ not null$/.test(definition) && !/ (default|generated) /.test(definition)) {
    draft.byHand.push(
      `column ${identity} is new and not null without a default: give it a default, or add it nullable, fill it in batches, and set it not null a release later`,
    );
    return;
  }
  const isOfType = schemas.statements.some(({ plain }) =>
    plain.startsWith(`create type ${relation} `)
  );
  draft.add(
    "columns",
    isOfType
      ? `alter type ${relation} add attribute ${name} ${definition}`
      // A person may have added it beforehand, to build an index on it.
      : `alter table ${relation} add column if not exists ${name} ${definition}`,
  );
  if (/ generated .* stored/.test(definition) || / default .*\(/.test(definition)) {
    draft.beforehand.push(
      `column ${identity}: Postgres writes the whole table anew, under a lock, where a default is computed for each row. On a large table add it without, and fill it in batches.`,
    );
  }
  if (after?.comment !== null) writeComment(draft, difference, schemas);
}

function changeColumn(draft: Draft, difference: CatalogueDifference): void {
  const { identity, before, after } = difference;
  const { relation, name } = splitColumn(identity);
  const [was, is] = [splitDefault(before?.definition), splitDefault(after?.definition)];
  if (was.rest !== is.rest) {
    draft.byHand.push(
      `column ${identity} was "${before?.definition}" and is "${after?.definition}": write how its rows change`,
    );
    return;
  }
  draft.add(
    "columns",
    `alter table ${relation} alter column ${name} ${
      is.default === undefined ? "drop default" : `set default ${is.default}`
    }`,
  );
}

function splitDefault(definition = ""): { rest: string; default: string | undefined } {
  const [, head = definition, value, tail = ""] =
    /^(.*?) default (.*?)( not null)?$/.exec(definition) ?? [];
  return { rest: head + tail, default: value };
}

function splitColumn(identity: string): { relation: string; name: string } {
  const at = identity.lastIndexOf(".");
  return { relation: identity.slice(0, at), name: identity.slice(at + 1) };
}

/** Added without reading the table; a migration after this one validates it. */
function addConstraint(draft: Draft, { identity, after }: CatalogueDifference): void {
  const { relation, name } = splitColumn(identity);
  const definition = after?.definition ?? "";
  if (!/^(CHECK|FOREIGN KEY)/.test(definition)) {
    draft.byHand.push(
      `constraint ${identity} needs an index: build it concurrently, then write \`alter table ${relation} add constraint ${name} … using index\``,
    );
    return;
  }
  draft.add("details", `alter table ${relation} add constraint ${name} ${definition} not valid`);
  draft.validations.push(`alter table ${relation} validate constraint ${name};`);
}

function changeConstraint(draft: Draft, difference: CatalogueDifference): void {
  const { identity, before, after } = difference;
  draft.byHand.push(
    `constraint ${identity} was "${before?.definition}" and is "${after?.definition}": where the new one forbids what the former release writes, it is a contract migration`,
  );
}

function addIndex(
  draft: Draft,
  { identity, after }: CatalogueDifference,
  { statements }: Schemas,
): void {
  const name = identity.slice(identity.lastIndexOf(".") + 1);
  const creating = findCreating(statements, "index", name);
  if (creating === undefined) {
    draft.byHand.push(`index ${identity} is in no schema file`);
    return;
  }
  const concurrent = creating.plain.replace(" index ", " index concurrently if not exists ");
  draft.add("details", creating.text.replace(/(create(?: unique)? index )/, "$1if not exists "));
  const columns = findNewColumns(draft, after?.definition ?? "");
  draft.beforehand.push(
    `index ${identity}: on a large table build it first: ${
      [...columns, `${concurrent};`].join(" ")
    }`,
  );
}

/** The statements that add columns of an index: an index on them cannot be built before them. */
function findNewColumns(draft: Draft, indexDefinition: string): string[] {
  return draft.statements.columns.filter((statement) => {
    const [, relation, name] =
      /^alter table (\S+) add column if not exists (\S+) /.exec(statement) ??
        [];
    return indexDefinition.includes(` ON ${relation} `) &&
      new RegExp(`\\b${name}\\b`).test(indexDefinition.split(` ON ${relation} `)[1] ?? "");
  });
}

/** What is granted on an object anew: everything is taken first, so that nothing of before stays. */
function writeGrants(draft: Draft, difference: CatalogueDifference, { statements }: Schemas): void {
  const { section, identity } = difference;
  const name = section === "functions" ? identity.slice(0, identity.indexOf("(")) : identity;
  const grants = findGrants(statements, name);
  if (grants.length === 0) {
    draft.byHand.push(
      `${nouns[section]} ${identity} has other privileges, which no schema file grants`,
    );
    return;
  }
  draft.add(
    "details",
    `revoke all on ${nouns[section]} ${identity} from public, anon, authenticated, service_role`,
    ...grants.map(({ text }) => text),
  );
}

function writeComment(
  draft: Draft,
  difference: CatalogueDifference,
  { statements }: Schemas,
): void {
  const { section, identity, after } = difference;
  if (after?.comment === null) {
    draft.add("details", `comment on ${nouns[section]} ${identity} is null`);
    return;
  }
  const comment = findComment(statements, nouns[section], identity);
  if (comment === undefined) {
    draft.byHand.push(`the comment on ${nouns[section]} ${identity} is in no schema file`);
  } else draft.add("details", comment.text);
}

/**
 * Internal functions, triggers, policies and plain indexes go at once: only SQL of the same migration
 * uses them. What the former release's functions may use goes in a contract migration.
 */
function remove(
  draft: Draft,
  difference: CatalogueDifference,
  step: MigrationStep,
  differences: readonly CatalogueDifference[],
): void {
  const { section, identity, before } = difference;
  if (section === "functions" && !isRpc(identity)) {
    const name = identity.slice(0, identity.indexOf("("));
    const isReplaced = differences.some((other) =>
      other.section === "functions" && other.before === undefined &&
      other.identity.startsWith(`${name}(`)
    );
    draft.add(isReplaced ? "drops" : "lastDrops", `drop function ${identity}`);
    return;
  }
  if (section === "triggers" || section === "policies") {
    draft.add("lastDrops", dropOnTable(section === "triggers" ? "trigger" : "policy", identity));
    return;
  }
  if (section === "indexes" && !/^CREATE UNIQUE/.test(before?.definition ?? "")) {
    draft.add("lastDrops", `drop index ${identity}`);
    return;
  }
  const drop = dropStatement(difference);
  if (drop === undefined) {
    draft.byHand.push(`${nouns[section]} ${identity} is gone from the schemas`);
  } else if (step === "contract") draft.add("lastDrops", drop);
  else {
    draft.byHand.push(
      `${
        nouns[section]
      } ${identity} is gone from the schemas: the release before this one may use it. ` +
        "Keep it for one release, then remove it with `deno task db:migration <name> --contract`",
    );
  }
}

function isRpc(identity: string): boolean {
  return !identity.startsWith("messaging.");
}

function dropStatement({ section, identity }: CatalogueDifference): string | undefined {
  const { relation, name } = splitColumn(identity);
  switch (section) {
    case "functions":
      return `drop function ${identity}`;
    case "relations":
      return `drop table ${identity}`;
    case "types":
      return `drop type ${identity}`;
    case "columns":
      return `alter table ${relation} drop column ${name}`;
    case "constraints":
      return dropOnTable("constraint", identity);
    case "indexes":
      return `drop index ${identity}`;
    case "views":
      return `drop view ${identity}`;
    default:
      return undefined;
  }
}

function renderFile({ text }: SchemaFile): string {
  return text.trim();
}
