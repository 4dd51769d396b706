/** A file of supabase/schemas is a subject: a function and those that it alone calls. */
import { assert, assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

const folder = "supabase/schemas/";

/** Areas whose files hold one function each still. Both the caller's and the callee's count. */
const unfoldedAreas: readonly string[] = ["messages", "queue", "inbound", "batches"];

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

function findFaults(files: readonly TextFile[], unfolded: readonly string[]): string[] {
  const calls = findCalls(files);
  const isUnfolded = (path: string): boolean =>
    unfolded.includes(path.slice(folder.length).split("/")[0] ?? "");
  return files.filter(({ path }) => /\/(?:rules|internal|rpc)\/\w+\.sql$/.test(path))
    .flatMap((file) => {
      const [first, ...others] = findDefinitions(file);
      if (first === undefined) return [`${file.path} creates no function`];
      const [, kind, name] = /\/(\w+)\/(\w+)\.sql$/.exec(file.path) ?? [];
      const callers = new Set(
        (calls.get(first.name) ?? []).map(({ path }) => path).filter((path) => path !== file.path),
      );
      const [only = ""] = callers;
      return [
        ...(first.name.endsWith(`.${name}`) ? [] : [`${file.path} begins with ${first.name}`]),
        ...(kind !== "rpc" && callers.size === 1 && holdsFunctions.test(only) &&
            ![file.path, only].some(isUnfolded)
          ? [`${first.name} is called in ${only} alone: it belongs below its caller`]
          : []),
        ...others.flatMap((helper) => findHelperFaults(helper, calls.get(helper.name) ?? [])),
      ];
    });
}

function findHelperFaults({ name, path, at }: Definition, calls: readonly Call[]): string[] {
  const other = calls.find((call) => call.path !== path);
  if (other !== undefined) return [`${name} is called in ${other.path} too: it has its own file`];
  return calls.some((call) => call.at < at) ? [] : [`${name} stands above its callers in ${path}`];
}

Deno.test("a file of SQL functions holds the one it is named after, and below it those that it alone calls", async () => {
  const files = (await readTextFiles(folder)).filter(({ path }) => path.endsWith(".sql"));
  assert(files.length > 200, "the schemas were read");
  assertEquals(findFaults(files, unfoldedAreas), []);
});

Deno.test("a function in the wrong file, or above its caller, is found", () => {
  const create = (name: string, ...called: readonly string[]): string =>
    `create or replace function messaging.${name}()\nreturn ${
      called.map((each) => `messaging.${each}()`).join(" + ")
    };\n`;
  const find = (files: Readonly<Record<string, string>>, unfolded: readonly string[] = []) =>
    findFaults(
      Object.entries(files).map(([path, text]) => ({ path: `${folder}${path}`, text })),
      unfolded,
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
  assertEquals(find(alone, ["one"]), []);
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
});
