/**
 * A file of supabase/schemas is a subject: a function and those that it alone calls; or a resource, the RPCs
 * that administer a table, in a file with the table's name; or small functions about one thing that several
 * files call, in a file that none of them gives its name.
 */
import areas from "../../supabase/schemas/areas.json" with { type: "json" };
import { functionName, splitFunctions } from "../../supabase/tools/migrations/schema_files.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

const folder = "supabase/schemas/";

/** What stands in files of its own because it is built before the tables. */
const tablesNeed: ReadonlySet<string> = new Set(
  areas.first.map((path) => `${folder}${path}`),
);

/**
 * A helper keeps a file of its own where its caller's would have more lines than these. Small functions about one
 * thing share a file of at most as many.
 */
const maxLines = 250;

/** Areas whose long functions do not all say yet why they are. */
const unexplainedAreas: readonly string[] = ["messages", "queue", "inbound"];

/** The files that functions stand in; tables and the files that are built last only call them. */
const holdsFunctions = /\/(?:(?:rules|internal|rpc)\/\w+|triggers)\.sql$/;

interface Definition {
  readonly name: string;
  readonly path: string;
  /** Where its file creates it. */
  readonly at: number;
}

interface Call {
  readonly path: string;
  readonly at: number;
}

function findDefinitions({ path, text }: TextFile): Definition[] {
  return [...text.matchAll(/^create or replace function ([\w.]+)/gm)]
    .map(({ 1: name = "", index }) => ({ name, path, at: index }));
}

/** Where functions are named, but for where they are created, by their names with the schema. */
function findCalls(files: readonly TextFile[]): Map<string, Call[]> {
  const calls = new Map<string, Call[]>();
  for (const { path, text } of files) {
    const named = /(?<!create or replace function )\b(?:messaging|public)\.\w+/g;
    const code = text.replaceAll(/--.*$/gm, (comment) => " ".repeat(comment.length));
    for (const { 0: name, index } of code.matchAll(named)) {
      calls.set(name, [...calls.get(name) ?? [], { path, at: index }]);
    }
  }
  return calls;
}

function findFaults(files: readonly TextFile[], unexplained: readonly string[]): string[] {
  const calls = findCalls(files);
  const isUnexplained = (path: string): boolean =>
    unexplained.includes(path.slice(folder.length).split("/")[0] ?? "");
  const lines = new Map(files.map(({ path, text }) => [path, text.split("\n").length]));
  const paths = new Set(lines.keys());
  return files.filter(({ path }) => /\/(?:rules|internal|rpc)\/\w+\.sql$/.test(path))
    .flatMap((file) => {
      const definitions = findDefinitions(file);
      const [first, ...others] = definitions;
      if (first === undefined) return [`${file.path} creates no function`];
      const [, kind, name] = /\/(\w+)\/(\w+)\.sql$/.exec(file.path) ?? [];
      const isResource = kind === "rpc" && paths.has(file.path.replace("/rpc/", "/tables/"));
      const long = isUnexplained(file.path) ? [] : findLongFunctions(file);
      const callersOf = ({ name }: Definition): Set<string> =>
        new Set(
          (calls.get(name) ?? []).map(({ path }) => path).filter((path) => path !== file.path),
        );
      const belongsBelow = (definition: Definition, ownLines: number): string[] => {
        const callers = callersOf(definition);
        const [only = ""] = callers;
        return kind !== "rpc" && callers.size === 1 && holdsFunctions.test(only) &&
            !tablesNeed.has(file.path) && ownLines + (lines.get(only) ?? 0) <= maxLines
          ? [`${definition.name} is called in ${only} alone: it belongs below its caller`]
          : [];
      };
      if (kind !== "rpc" && definitions.every((each) => !each.name.endsWith(`.${name}`))) {
        return [
          ...findSubjectFaults(file, definitions, callersOf),
          ...definitions.flatMap((definition) => {
            const isCalledHere = (calls.get(definition.name) ?? [])
              .some(({ path }) => path === file.path);
            return isCalledHere ? [] : belongsBelow(definition, countLines(file, definition));
          }),
          ...definitions.filter((each) => callersOf(each).size === 0)
            .flatMap((helper) => findHelperFaults(helper, calls.get(helper.name) ?? [])),
          ...long,
        ];
      }
      const helpers = others.filter(({ name }) => !(isResource && name.startsWith("public.")));
      return [
        ...(isResource || first.name.endsWith(`.${name}`)
          ? []
          : [`${file.path} begins with ${first.name}`]),
        ...belongsBelow(first, lines.get(file.path) ?? 0),
        ...long,
        ...helpers.flatMap((helper) => findHelperFaults(helper, calls.get(helper.name) ?? [])),
      ];
    });
}

/** What is wrong with a file of small functions about one thing. */
function findSubjectFaults(
  { path, text }: TextFile,
  definitions: readonly Definition[],
  callersOf: (definition: Definition) => ReadonlySet<string>,
): string[] {
  const [first] = definitions;
  const lines = text.split("\n").length - 1;
  return [
    ...(definitions.filter((each) => callersOf(each).size > 0).length < 2
      ? [`${path} begins with ${first?.name}`]
      : []),
    ...(lines > maxLines ? [`${path} has ${lines} lines: it is more than one subject`] : []),
  ];
}

function countLines(file: TextFile, { name }: Definition): number {
  const part = splitFunctions(file).find((each) => functionName(each) === name);
  return part?.text.split("\n").length ?? 0;
}

/** The functions of more than 80 lines that do not say in their head why. */
function findLongFunctions({ path, text }: TextFile): string[] {
  return splitFunctions({ path, text }).flatMap((part) => {
    const lines = part.text.trim().split("\n");
    const begin = lines.findIndex((line) => line.startsWith("create or replace function "));
    if (lines.length - begin <= 80) return [];
    const isExplained = lines.slice(0, begin).some((line) => line.startsWith("-- Over 80 lines: "));
    return isExplained ? [] : [`${functionName(part)} has ${lines.length - begin} lines`];
  });
}

function findHelperFaults({ name, path, at }: Definition, calls: readonly Call[]): string[] {
  const other = calls.find((call) => call.path !== path);
  if (other !== undefined) return [`${name} is called in ${other.path} too: it has its own file`];
  return calls.some((call) => call.at < at) ? [] : [`${name} stands above its callers in ${path}`];
}

Deno.test("a file of SQL functions holds the one it is named after, or those of a table, and below it those that it alone calls", async () => {
  const files = (await readTextFiles("supabase/schemas")).filter(({ path }) =>
    path.endsWith(".sql")
  );
  assert(files.length > 200, "the schemas were read");
  assertEquals(findFaults(files, unexplainedAreas), []);
});

Deno.test("a function over 80 lines that does not say why is found", () => {
  const long = (head: string): string =>
    `${head}create or replace function messaging.ask()\nreturns void language sql as $$\n${
      "  select 1;\n".repeat(80)
    }$$;\n`;
  const find = (head: string): string[] =>
    findFaults([{ path: `${folder}one/internal/ask.sql`, text: long(head) }], []);
  assertEquals(find("-- Asks.\n"), ["messaging.ask has 83 lines"]);
  assertEquals(find("-- Asks.\n-- Over 80 lines: one statement.\n"), []);
});

Deno.test("a function in the wrong file, or above its caller, is found", () => {
  const create = (name: string, ...called: readonly string[]): string =>
    `create or replace function messaging.${name}()\nreturn ${
      called.map((each) => `messaging.${each}()`).join(" + ")
    };\n`;
  const find = (files: Readonly<Record<string, string>>) =>
    findFaults(
      Object.entries(files).map(([path, text]) => ({ path: `${folder}${path}`, text })),
      [],
    );
  const alone = {
    "one/rpc/ask.sql": create("ask", "reply"),
    "one/internal/reply.sql": create("reply", "word"),
    "two/rules/word.sql": create("word"),
    "two/rpc/say.sql": create("say", "word"),
  };
  assertEquals(find(alone), [
    `messaging.reply is called in ${folder}one/rpc/ask.sql alone: it belongs below its caller`,
  ]);
  const long = `${"-- Asks.\n".repeat(maxLines)}${alone["one/rpc/ask.sql"]}`;
  assertEquals(find({ ...alone, "one/rpc/ask.sql": long }), []);
  const folded = `${create("ask", "reply")}\n${create("reply", "word")}`;
  const others = {
    "two/rules/word.sql": alone["two/rules/word.sql"],
    "two/rpc/say.sql": alone["two/rpc/say.sql"],
  };
  assertEquals(find({ ...others, "one/rpc/ask.sql": folded }), []);
  assertEquals(find({ ...others, "one/rpc/reply.sql": folded }), [
    `${folder}one/rpc/reply.sql begins with messaging.ask`,
  ]);
  assertEquals(
    find({ ...others, "one/rpc/reply.sql": create("reply", "word") + create("ask", "reply") }),
    [`messaging.ask stands above its callers in ${folder}one/rpc/reply.sql`],
  );
  assertEquals(
    find({
      "one/rpc/ask.sql": create("ask", "word") + create("word"),
      "two/rpc/say.sql": create("say", "word"),
    }),
    [`messaging.word is called in ${folder}two/rpc/say.sql too: it has its own file`],
  );
  const subject = {
    "two/rules/words.sql": `${create("phrase", "word")}\n${create("word")}`,
    "one/rpc/ask.sql": create("ask", "word"),
    "two/rpc/say.sql": create("say", "word", "phrase"),
    "two/rpc/sing.sql": create("sing", "phrase"),
  };
  assertEquals(find(subject), []);
  assertEquals(
    find({ ...subject, "two/rpc/sing.sql": create("sing"), "two/rpc/say.sql": create("say") }),
    [
      `${folder}two/rules/words.sql begins with messaging.phrase`,
      `messaging.phrase stands above its callers in ${folder}two/rules/words.sql`,
    ],
  );
  assertEquals(find({ ...subject, "two/rpc/sing.sql": create("sing") }), [
    `messaging.phrase is called in ${folder}two/rpc/say.sql alone: it belongs below its caller`,
  ]);
  assertEquals(
    find({
      ...subject,
      "two/rules/words.sql": `${"-- So.\n".repeat(maxLines)}${create("phrase", "word")}\n${
        create("word")
      }`,
    }),
    [`${folder}two/rules/words.sql has 255 lines: it is more than one subject`],
  );
  const resource = (table: string) => ({
    [`one/tables/${table}.sql`]: `create table messaging.${table} (id uuid);`,
    "one/rpc/words.sql": `${create("add").replace("messaging", "public")}\n${
      create("list", "described").replace("messaging", "public")
    }\n${create("described")}`,
  });
  assertEquals(find(resource("words")), []);
  assertEquals(find(resource("letters")), [
    `${folder}one/rpc/words.sql begins with public.add`,
    `public.list stands above its callers in ${folder}one/rpc/words.sql`,
  ]);
});
