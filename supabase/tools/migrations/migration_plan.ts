/**
 * Turns the differences between the migrations and the schemas into statements, as far as they can be
 * applied while the former release's functions run. The rest is named for a person to write.
 */

import type { SchemaPart } from "./schema_files.ts";
import type { BoundFunctions, CatalogueDifference, CatalogueSection } from "./catalogue.ts";
import {
  findComment,
  findCreating,
  findCreatingParts,
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

/**
 * Where in a migration a statement belongs. `tableFunctions` are those that tables need, in indexes
 * and constraints; bound functions need the columns that they read. A trigger goes before its function.
 */
const places = [
  "drops",
  "tableFunctions",
  "relations",
  "columns",
  "functions",
  "details",
  "triggerDrops",
  "lastDrops",
] as const;

class Draft {
  readonly statements: Record<typeof places[number], string[]> = {
    drops: [],
    tableFunctions: [],
    relations: [],
    columns: [],
    functions: [],
    details: [],
    triggerDrops: [],
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
  readonly parts: readonly SchemaPart[];
  readonly statements: readonly SchemaStatement[];
  readonly bound: BoundFunctions;
  /** The functions that the schemas no longer have. */
  readonly removed: ReadonlySet<string>;
}

type Write = (draft: Draft, difference: CatalogueDifference, schemas: Schemas) => void;

/**
 * Plans a migration.
 *
 * @param differences from what the migrations build to what the schemas build.
 * @param parts the schemas, in the order in which they are built.
 * @param step `contract` also removes what the schemas no longer have.
 * @param bound what the bound functions call that the migrations build.
 */
export function planMigration(
  differences: readonly CatalogueDifference[],
  parts: readonly SchemaPart[],
  step: MigrationStep,
  bound: BoundFunctions,
): MigrationPlan {
  const draft = new Draft();
  const removed = new Set(
    differences.filter(({ section, after }) => section === "functions" && after === undefined)
      .map(({ identity }) => identity),
  );
  const schemas = { parts, statements: readStatements(parts), bound, removed };
  for (const difference of inOrderOfColumns(differences)) {
    if (isPartOfWholeRelation(difference, differences)) continue;
    const { before, after } = difference;
    if (after === undefined) remove(draft, difference, step, differences, schemas);
    else if (before === undefined) writers[difference.section].add(draft, difference, schemas);
    else writeChange(draft, difference, schemas);
  }
  for (const place of ["tableFunctions", "functions"] as const) sortAsBuilt(draft, place, parts);
  return {
    statements: places.flatMap((place) => draft.statements[place]),
    validations: draft.validations,
    byHand: draft.byHand,
    beforehand: draft.beforehand,
  };
}

/** New columns come in the order of the schemas: rows of types are written by place. */
function inOrderOfColumns(differences: readonly CatalogueDifference[]): CatalogueDifference[] {
  return differences.toSorted((one, other) =>
    one.section === "columns" && other.section === "columns"
      ? (one.after?.ordinal ?? 0) - (other.after?.ordinal ?? 0)
      : 0
  );
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
    types: { add: addFile("type"), change: changeType },
    relations: { add: addFile("table"), change: changeRelation },
    columns: { add: addColumn, change: changeColumn },
    sequences: { add: addSequence, change: byHand("has changed: write `alter sequence`") },
    functions: { add: addFunction, change: changeFunction },
    views: { add: addCreating("view"), change: addCreating("view") },
    constraints: { add: addConstraint, change: changeConstraint },
    indexes: {
      add: addIndex,
      change: byHand("has another definition: give the new index a name of its own"),
    },
    triggers: { add: addCreating("trigger"), change: changeOnTable("trigger") },
    policies: { add: addCreating("policy"), change: changeOnTable("policy") },
    defaultPrivileges: { add: alterDefaultPrivileges, change: alterDefaultPrivileges },
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

/** All of them, in their order: each says what holds from then on, whatever held before. */
function alterDefaultPrivileges(draft: Draft, _: CatalogueDifference, schemas: Schemas): void {
  const altering = schemas.statements.filter(({ plain }) =>
    plain.startsWith("alter default privileges ")
  );
  draft.add("drops", ...altering.map(({ text }) => text));
}

function addFile(kind: "table" | "type"): Write {
  return (draft, { section, identity }, { parts, statements }) => {
    // A table's row type has the table's name and is no object of its own in the schemas.
    const creating = findCreatingParts(statements, kind, identity);
    if (creating.length === 0) {
      draft.byHand.push(`${nouns[section]} ${identity} is in no schema file`);
    }
    // In the order of the schemas: a table comes after those that it references.
    const { relations } = draft.statements;
    const wanted = parts.filter((part) =>
      creating.includes(part) || relations.includes(renderPart(part))
    );
    relations.splice(0);
    draft.add("relations", ...wanted.map(renderPart));
  };
}

/** In the order of the schemas a bound function comes after those that it calls. */
function sortAsBuilt(
  draft: Draft,
  place: typeof places[number],
  parts: readonly SchemaPart[],
): void {
  const order = new Map(parts.map((part, index) => [renderPart(part), index]));
  draft.statements[place].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

function addFunction(
  draft: Draft,
  difference: CatalogueDifference,
  { parts, statements }: Schemas,
): void {
  const { identity } = difference;
  const name = identity.slice(0, identity.indexOf("("));
  const creating = findCreatingParts(statements, "function", name);
  if (creating.length === 0) draft.byHand.push(`function ${identity} is in no schema file`);
  const lastTable = parts.findLastIndex(({ path }) => path.includes("/tables/"));
  for (const part of creating) {
    const place = parts.indexOf(part) < lastTable ? "tableFunctions" : "functions";
    draft.add(place, renderPart(part));
  }
}

/**
 * Drops a function, and before it the bound functions that call it. Those that the schemas still have
 * are created anew.
 */
function dropFunction(
  draft: Draft,
  difference: CatalogueDifference,
  place: "drops" | "lastDrops",
  schemas: Schemas,
): void {
  const statement = `drop function ${difference.identity};`;
  if (draft.statements.drops.includes(statement)) return;
  for (const [identity, called] of schemas.bound) {
    if (!called.includes(difference.identity)) continue;
    const isRemoved = schemas.removed.has(identity);
    if (!isRemoved && place === "lastDrops") continue;
    const caller = { ...difference, identity };
    dropFunction(draft, caller, place, schemas);
    if (!isRemoved) addFunction(draft, caller, schemas);
  }
  draft.add(place, statement);
}

/** `create or replace` cannot change what a function returns or how its arguments are named. */
function changeFunction(draft: Draft, difference: CatalogueDifference, schemas: Schemas): void {
  const { before, after } = difference;
  if (readSignature(before?.definition) !== readSignature(after?.definition)) {
    dropFunction(draft, difference, "drops", schemas);
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

/** Attributes that come after those of before are added as columns are. */
function changeType(draft: Draft, difference: CatalogueDifference, schemas: Schemas): void {
  const { before, after } = difference;
  const former = before?.definition.replace(/\}?$/, "") ?? "";
  if (after?.definition.startsWith(`${former},`)) return;
  byHand("has changed, or has its attributes in another order: write `alter type`")(
    draft,
    difference,
    schemas,
  );
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
  if (was.rest === `${is.rest} not null`) {
    draft.add("columns", `alter table ${relation} alter column ${name} drop not null`);
    if (was.default === is.default) return;
  } else if (was.rest !== is.rest) {
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
  if (allowsMoreValues(before?.definition, after?.definition)) {
    const { relation, name } = splitColumn(identity);
    draft.add(
      "details",
      `alter table ${relation} drop constraint ${name}, add constraint ${name} ${after?.definition} not valid`,
    );
    draft.validations.push(`alter table ${relation} validate constraint ${name};`);
    return;
  }
  draft.byHand.push(
    `constraint ${identity} was "${before?.definition}" and is "${after?.definition}": where the new one forbids what the former release writes, it is a contract migration`,
  );
}

/** Whether a CHECK allows all that it allowed before, and more: a longer list of values, or a wider range. */
function allowsMoreValues(before = "", after = ""): boolean {
  return listsMoreValues(before, after) || hasWiderRange(before, after);
}

function hasWiderRange(before: string, after: string): boolean {
  const range = /^CHECK \(\(\((\w+) >= (-?\d+)\) AND \((\w+) <= (-?\d+)\)\)\)$/;
  const [, column, least, same, most] = range.exec(before) ?? [];
  const [, newColumn, newLeast, newSame, newMost] = range.exec(after) ?? [];
  return column !== undefined && [same, newColumn, newSame].every((name) => name === column) &&
    Number(newLeast) <= Number(least) && Number(newMost) >= Number(most);
}

/** Whether a CHECK lists the values of a column, all that it listed before and others. */
function listsMoreValues(before: string, after: string): boolean {
  const list = /^(CHECK \(\(\w+ = ANY \(ARRAY\[)([^\]]*)(\]\)\)\))$/;
  const [, head, values = "", tail] = list.exec(before) ?? [];
  const [, newHead, newValues = "", newTail] = list.exec(after) ?? [];
  const allowed = newValues.split(", ");
  return head !== undefined && head === newHead && tail === newTail &&
    values.split(", ").every((value) => allowed.includes(value));
}

/** Of a column its table brings it. */
function addSequence(
  draft: Draft,
  { identity }: CatalogueDifference,
  { statements }: Schemas,
): void {
  const creating = findCreating(statements, "sequence", identity);
  if (creating === undefined) return;
  draft.add("relations", creating.text);
  draft.add("relations", ...findGrants(statements, identity).map(({ text }) => text));
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
  schemas: Schemas,
): void {
  const { section, identity, before } = difference;
  if (section === "functions" && !isRpc(identity)) {
    const name = identity.slice(0, identity.indexOf("("));
    const isReplaced = differences.some((other) =>
      other.section === "functions" && other.before === undefined &&
      other.identity.startsWith(`${name}(`)
    );
    dropFunction(draft, difference, isReplaced ? "drops" : "lastDrops", schemas);
    return;
  }
  if (section === "triggers") {
    draft.add("triggerDrops", dropOnTable("trigger", identity));
    return;
  }
  if (section === "policies") {
    draft.add("lastDrops", dropOnTable("policy", identity));
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

function renderPart({ text }: SchemaPart): string {
  return text.trim();
}
