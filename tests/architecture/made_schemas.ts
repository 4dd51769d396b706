/** Finds the schemas that calls make anew: making one takes longer than checking a value by it. */

import type { TextFile } from "./repository.ts";
import { resolveRelative } from "./source_file.ts";

type Node = Deno.lint.Node;

/** Methods that make a schema from one that stands: only names that nothing but a schema has. */
const derivingMethods: ReadonlySet<string> = new Set([
  ...["extend", "safeExtend", "partial", "omit", "pick", "optional", "nullable", "nullish"],
  ...["refine", "superRefine", "prefault", "overwrite", "meta"],
]);

/** Functions of zod that make no schema. */
const readingFunctions: ReadonlySet<string> = new Set([
  ...["parse", "safeParse", "parseAsync", "safeParseAsync", "toJSONSchema", "config", "registry"],
]);

/** Callbacks of these run at once, as often as the call that they are given to. */
const iterators: ReadonlySet<string> = new Set(["map", "flatMap", "filter", "from", "reduce"]);

/**
 * Where something stands: in the module itself, which runs once; in one of its functions, by name; or in a
 * function within another one or in an object, of which is not known when it runs.
 */
type Place = "module" | "unknown" | { readonly name: string };

interface Making {
  readonly path: string;
  readonly place: Place;
  readonly text: string;
}

/** A use of a function of a module. */
interface Reference {
  /** The file that declares the function, and its name there. */
  readonly target: string;
  readonly path: string;
  readonly place: Place;
  /** Whether it is called here, not kept for later. */
  readonly isCalled: boolean;
}

/**
 * The schemas that are made more than once, as `path: text`. A function may make some where only modules
 * call it, while they load, by way of other functions too; and with `??=`, which makes one once.
 */
export function findMadeSchemas(files: readonly TextFile[]): string[] {
  const read = files.map(readFile);
  const references = Map.groupBy(read.flatMap(({ references }) => references), targetOf);
  const runsOnce = (path: string, place: Place, seen: ReadonlySet<string>): boolean => {
    if (typeof place === "string") return place === "module";
    const target = `${path} ${place.name}`;
    const uses = references.get(target) ?? [];
    return !seen.has(target) && uses.length > 0 &&
      uses.every((use) =>
        use.isCalled && runsOnce(use.path, use.place, new Set([...seen, target]))
      );
  };
  const found = read.flatMap(({ makings }) => makings)
    .filter(({ path, place }) => !runsOnce(path, place, new Set()));
  return [...new Set(found.map(({ path, text }) => `${path}: ${text}`))].sort();
}

function targetOf({ target }: Reference): string {
  return target;
}

function readFile(
  { path, text }: TextFile,
): { readonly makings: readonly Making[]; readonly references: readonly Reference[] } {
  const makings: Making[] = [];
  const references: Reference[] = [];
  const imported = new Map<string, string>();
  const zod = new Set<string>();
  const visitor: Deno.lint.LintVisitor = {
    ImportDeclaration(node): void {
      const target = resolveRelative(path, node.source.value);
      for (const specifier of node.specifiers) {
        const local = specifier.local.name;
        if (node.source.value === "zod") zod.add(local);
        if (target === null || specifier.type !== "ImportSpecifier") continue;
        const { imported: named } = specifier;
        imported.set(local, `${target} ${named.type === "Identifier" ? named.name : named.value}`);
      }
    },
    CallExpression(node): void {
      if (!makesSchema(node, zod) || isMadeOnce(node)) return;
      const [from, to] = node.range;
      const [line = ""] = text.slice(from, to).split("\n", 1);
      makings.push({ path, place: placeOf(node), text: line });
    },
    Identifier(node): void {
      const isCalled = isCalledAt(node);
      if (isCalled === null || isShadowed(node)) return;
      const target = imported.get(node.name) ?? `${path} ${node.name}`;
      references.push({ path, place: placeOf(node), target, isCalled });
    },
  };
  const plugin = { name: "schemas", rules: { made: { create: () => visitor } } };
  Deno.lint.runPlugin(plugin, path.split("/").at(-1) ?? path, text);
  return { makings, references };
}

function makesSchema({ callee }: Deno.lint.CallExpression, zod: ReadonlySet<string>): boolean {
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  const { object, property: { name } } = callee;
  if (isOf(object, zod)) return !readingFunctions.has(name);
  return derivingMethods.has(name);
}

/** Whether this is the namespace of zod, or a part of it such as `z.iso`. */
function isOf(node: Node, zod: ReadonlySet<string>): boolean {
  if (node.type === "MemberExpression") return isOf(node.object, zod);
  return node.type === "Identifier" && zod.has(node.name);
}

/** Whether a node stands in `kept ??= made`. */
function isMadeOnce(node: Node): boolean {
  return listAround(node).some((at) => at.type === "AssignmentExpression" && at.operator === "??=");
}

/** Whether the value that an identifier names is called here; null for what names no value here. */
function isCalledAt(node: Deno.lint.Identifier): boolean | null {
  const parent: Node = node.parent;
  switch (parent.type) {
    case "CallExpression":
      return parent.callee === node || isIterating(parent);
    case "MemberExpression":
      return parent.object === node || parent.computed ? false : null;
    case "Property":
      return parent.value === node ? false : null;
    case "VariableDeclarator":
      return parent.init === node ? false : null;
    case "ImportSpecifier":
    case "ExportSpecifier":
    case "FunctionDeclaration":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "TSTypeReference":
    case "TSTypeQuery":
    case "TSPropertySignature":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSQualifiedName":
      return null;
    default:
      return false;
  }
}

/** Whether a name is that of a parameter or a variable of a function around it. */
function isShadowed(node: Deno.lint.Identifier): boolean {
  return listAround(node).some((at) =>
    isFunction(at)
      ? at.params.some((parameter) => binds(parameter as Node, node.name))
      : at.type === "BlockStatement" && at.body.some((statement) =>
        statement.type === "VariableDeclaration" &&
        statement.declarations.some(({ id }) => binds(id, node.name))
      )
  );
}

function binds(pattern: Node, name: string): boolean {
  switch (pattern.type) {
    case "Identifier":
      return pattern.name === name;
    case "AssignmentPattern":
      return binds(pattern.left, name);
    case "RestElement":
      return binds(pattern.argument, name);
    case "ArrayPattern":
      return pattern.elements.some((element) => element !== null && binds(element, name));
    case "ObjectPattern":
      return pattern.properties.some((property) =>
        binds(property.type === "Property" ? property.value : property, name)
      );
    default:
      return false;
  }
}

type AnyFunction =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

function isFunction(node: Node): node is AnyFunction {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]
    .includes(node.type);
}

function placeOf(node: Node): Place {
  const functions = listAround(node).filter(isFunction).filter((at) => {
    const parent: Node = at.parent;
    return parent.type !== "CallExpression" || !isIterating(parent);
  });
  const [inner, outer] = functions;
  if (inner === undefined) return "module";
  const name = nameOf(inner);
  return outer !== undefined || name === null ? "unknown" : { name };
}

/** The name of a module's function; null for any other function. */
function nameOf(node: AnyFunction): string | null {
  if (node.type === "FunctionDeclaration") return node.id?.name ?? null;
  const parent: Node = node.parent;
  return parent.type === "VariableDeclarator" && parent.id.type === "Identifier"
    ? parent.id.name
    : null;
}

function isIterating({ callee }: Deno.lint.CallExpression): boolean {
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" &&
    iterators.has(callee.property.name);
}

/** The nodes around this one, from the nearest. */
function listAround(node: Node): Node[] {
  const around: Node[] = [];
  for (let at: Node | null = parentOf(node); at !== null; at = parentOf(at)) around.push(at);
  return around;
}

function parentOf(node: Node): Node | null {
  return "parent" in node ? node.parent as Node | null : null;
}
