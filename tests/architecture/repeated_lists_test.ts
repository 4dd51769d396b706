import { assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

type Node = Deno.lint.Node;

/** Fewer words stand in two places by chance. */
const fewestWords = 3;

/** Words that two lists have for different reasons. */
const unrelated: ReadonlySet<string> = new Set([
  // What the content of old office files is recognized as, and what Meta takes.
  "application/msword application/vnd.ms-excel application/vnd.ms-powerpoint",
  // Two gateways name the buttons of one library.
  "callButton link phone quickReplyButton reply urlButton",
  // What stands above a menu, of the API and of a gateway.
  "document image video",
  // Two readers of one gateway's templates.
  "fourRowTemplate hydratedFourRowTemplate hydratedTemplate",
  // Pictures of a message, and of a template's header.
  "jpeg jpg png",
]);

/** The lists of words that stand twice, each with where it stands. */
function findRepeatedLists(files: readonly TextFile[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const note = (node: Node): void => {
      const words = readWords(node);
      if (words === null || words.length < fewestWords) return;
      const list = [...new Set(words)].sort().join(" ");
      places.set(list, (places.get(list) ?? new Set()).add(path));
    };
    const noteUnion = (node: Deno.lint.TSUnionType): void => {
      const { type }: Node = node.parent;
      // Of `Pick`, `Omit` and their like: keys of a type, which the compiler compares.
      if (type !== "TSTypeParameterInstantiation") note(node);
    };
    const create = (): Deno.lint.LintVisitor => ({ ArrayExpression: note, TSUnionType: noteUnion });
    const plugin = { name: "lists", rules: { listed: { create } } };
    Deno.lint.runPlugin(plugin, path.split("/").at(-1) ?? path, text);
  }
  return [...places].filter(([list, at]) => at.size > 1 && !unrelated.has(list))
    .map(([list, at]) => `${list}: ${[...at].sort().join(", ")}`).sort();
}

/** The words of a list or a union of nothing else; null for any other. */
function readWords(node: Node): string[] | null {
  const words = listMembers(node).map((member) => {
    if (member.type === "Literal") return typeof member.value === "string" ? [member.value] : null;
    return ["ArrayExpression", "TSUnionType"].includes(member.type) ? readWords(member) : null;
  });
  return words.includes(null) ? null : words.flatMap((of) => of ?? []);
}

function listMembers(node: Node): Node[] {
  switch (node.type) {
    case "ArrayExpression":
      return node.elements.flatMap((element) => element === null ? [] : [inner(element as Node)]);
    case "TSUnionType":
      return node.types.map(inner);
    default:
      return [];
  }
}

/** What a spread, an `as const` or the type of a literal holds. */
function inner(node: Node): Node {
  switch (node.type) {
    case "SpreadElement":
      return inner(node.argument);
    case "TSAsExpression":
      return inner(node.expression);
    case "TSLiteralType":
      return node.literal as Node;
    default:
      return node;
  }
}

Deno.test("a list of words stands in one file: others use it, or infer from it", async () => {
  const files = (await readTextFiles("functions", "shared"))
    .filter(({ path }) => path.endsWith(".ts") && !path.endsWith("docs.ts"));
  assertEquals(findRepeatedLists(files), []);
});

Deno.test("the same words in another order, in parts or as a type are found in a second file", () => {
  const list: TextFile = { path: "a.ts", text: 'const list = ["one", "two", "three"];' };
  for (
    const text of [
      'const other = ["two", "three", "one"] as const;',
      'const other = [...["one", "two"] as const, "three"];',
      'type Other = "one" | ("two" | "three");',
      'interface Other { readonly kind: "one" | "two" | "three" }',
    ]
  ) assertEquals(findRepeatedLists([list, { path: "b.ts", text }]), ["one three two: a.ts, b.ts"]);
  for (const text of ['const other = ["one", "two"];', 'const other = ["one", "two", three];']) {
    assertEquals(findRepeatedLists([list, { path: "b.ts", text }]), [], text);
  }
});
