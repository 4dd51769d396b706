/**
 * `deno task lock`: writes the lock files of the programs that people start (`start`, `admin`), each
 * with the packages of that program alone, as deno.lock has them. Deno fetches every package of a lock
 * file before a program's first line, so that deno.lock, which has those of the tests, benches and
 * tools too, would make a first start fetch them all.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { listProgramPackages, listPrograms, type ModuleImport } from "./locks/program_packages.ts";
import { formatLock, selectPackages } from "./locks/select_packages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const slugs = Array.from(Deno.readDirSync(join(root, "functions")))
  .filter((entry) => entry.isDirectory).map((entry) => entry.name).sort();
const full = JSON.parse(await Deno.readTextFile(join(root, "deno.lock")));
const { imports } = JSON.parse(await Deno.readTextFile(join(root, "import_map.json")));

for (const program of listPrograms(slugs)) {
  const graph = new Map<string, readonly ModuleImport[]>();
  for (const module of program.modules) await readGraph(module, graph);
  const packages = listProgramPackages(program, (path) => graph.get(path) ?? [], imports);
  const lock = selectPackages(full, packages);
  await Deno.writeTextFile(join(root, program.lock), formatLock(lock));
  // deno-lint-ignore no-console
  console.log(`${program.lock}: ${Object.keys(lock.npm).length} packages`);
}

interface GraphModule {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    /** Absent for an import of types. */
    readonly code?: { readonly specifier?: string };
  }[];
}

/** Adds a module and what it imports, dynamic imports included, as Deno reads them. */
async function readGraph(
  path: string,
  graph: Map<string, readonly ModuleImport[]>,
): Promise<void> {
  if (graph.has(path)) return;
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--quiet", "--json", "--lock=deno.lock", "--frozen", path],
    cwd: root,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`The imports of ${path} cannot be read.`);
  const { modules }: { modules: GraphModule[] } = JSON.parse(new TextDecoder().decode(stdout));
  for (const module of modules.filter((each) => each.specifier.startsWith("file:"))) {
    graph.set(toPath(module.specifier), describeImports(module));
  }
}

function describeImports({ dependencies = [] }: GraphModule): ModuleImport[] {
  return dependencies.flatMap(({ specifier, code }) => {
    if (code?.specifier === undefined) return [];
    const isOwn = code.specifier.startsWith("file:");
    return [{ specifier, target: isOwn ? toPath(code.specifier) : null }];
  });
}

function toPath(specifier: string): string {
  return relative(root, fileURLToPath(specifier)).replaceAll("\\", "/");
}
