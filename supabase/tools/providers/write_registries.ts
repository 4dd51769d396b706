/**
 * Writes the lists of providers from the list of kinds: `deno task providers`. With `--check` it writes
 * nothing and fails when a committed file differs. A running function imports the list of its role alone,
 * so one table for all roles would put every provider's every part into each function's upload.
 */
import { providerKinds } from "../../../shared/model/provider_kind.ts";

const root = new URL("../../../", import.meta.url);

/** One list: what stands above it, what it needs of each provider's folder, and what stands around it. */
interface RegistryFile {
  readonly path: string;
  /** The comment above the imports. */
  readonly about?: string;
  readonly imports: readonly string[];
  /** Of each provider: the names that the list uses, by the file that exports them. */
  readonly parts: (kind: string) => readonly ProviderPart[];
  readonly open: string;
  /** The list's entry of a provider, from the names of its parts. */
  readonly entry: (names: readonly string[]) => string;
  readonly close: string;
}

interface ProviderPart {
  /** The exported name. */
  readonly name: string;
  /** The path of its file, from the list. */
  readonly from: string;
}

/** `some_kind` as the beginning of a name: `someKind`. */
export function toCamel(kind: string): string {
  return kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toPascal(kind: string): string {
  const name = toCamel(kind);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function part(kind: string, file: string, suffix: string): ProviderPart {
  return { name: `${toCamel(kind)}${suffix}`, from: `./${kind}/${file}.ts` };
}

const kindImport = 'import type { ProviderKind } from "../model/provider_kind.ts";';
const registryImport = 'import { createRegistry } from "./create_registry.ts";';
const compared = "/** By kind: the compiler asks for every kind, and for its own provider. */";
const allRoles = "/** See `registry.ts`, which has the same providers in all their roles. */";

/** The lists, from which kinds have a file of administration of their own. */
function listRegistries(hasAdministration: ReadonlySet<string>): readonly RegistryFile[] {
  return [
    {
      path: "shared/providers/registry.ts",
      about: [
        "/**",
        " * The providers of this API in all their roles. Each has its own folder. A running function imports the",
        " * list of its role alone: `sending_registry.ts`, `webhook_registry.ts`, `administration_registry.ts`.",
        " */",
      ].join("\n"),
      imports: [
        registryImport,
        'import type { ProviderDescriptor } from "./descriptor.ts";',
        kindImport,
      ],
      parts: (kind) => [part(kind, "descriptor", "")],
      open: [
        "/** By kind: the compiler asks for every kind, and for its own descriptor. */",
        "const descriptors: { readonly [Kind in ProviderKind]: ProviderDescriptor<Kind> } = {",
      ].join("\n"),
      entry: ([name = ""]) => name,
      close: [
        "};",
        "",
        "/** The providers of this API. */",
        "export const registry = createRegistry(Object.values(descriptors));",
      ].join("\n"),
    },
    {
      path: "shared/providers/sending_registry.ts",
      about: "/** The providers of this API for the functions that send. */",
      imports: [
        registryImport,
        kindImport,
        'import { describeSending, type SendingProvider } from "./sending.ts";',
      ],
      parts: (kind) => [part(kind, "sending", "Sending")],
      open: [
        compared,
        "const providers: { readonly [Kind in ProviderKind]: SendingProvider<Kind> } = {",
      ].join("\n"),
      entry: ([name = ""]) => `describeSending(${name})`,
      close: [
        "};",
        "",
        allRoles,
        "export const sendingRegistry = createRegistry(Object.values(providers));",
      ].join("\n"),
    },
    {
      path: "shared/providers/webhook_registry.ts",
      about: "/** The providers of this API for the function that receives their events. */",
      imports: [
        kindImport,
        registryImport,
        'import { describeReceiving, type ReceivingProvider } from "./webhooks/receiving.ts";',
      ],
      parts: (kind) => [part(kind, "config", "Basis"), part(kind, "webhook", "Webhook")],
      open: [
        compared,
        "const providers: { readonly [Kind in ProviderKind]: ReceivingProvider<Kind> } = {",
      ].join("\n"),
      entry: ([basis = "", webhook = ""]) =>
        `describeReceiving({ ...${basis}, webhook: ${webhook} })`,
      close: [
        "};",
        "",
        allRoles,
        "export const webhookRegistry = createRegistry(Object.values(providers));",
      ].join("\n"),
    },
    {
      path: "shared/providers/administration_registry.ts",
      about: "/** The providers of this API for the function that administers instances. */",
      imports: [
        registryImport,
        'import { type AdministeredProvider, describeAdministration } from "./administration.ts";',
        kindImport,
      ],
      parts: (kind) => [
        hasAdministration.has(kind)
          ? part(kind, "administration", "Administration")
          : part(kind, "config", "Basis"),
      ],
      open: [
        compared,
        "const providers: { readonly [Kind in ProviderKind]: AdministeredProvider<Kind> } = {",
      ].join("\n"),
      entry: ([name = ""]) => `describeAdministration(${name})`,
      close: [
        "};",
        "",
        allRoles,
        "export const administrationRegistry = createRegistry(Object.values(providers));",
      ].join("\n"),
    },
    {
      path: "shared/providers/registered_docs.ts",
      imports: ['import type { ProviderDocs } from "./provider_docs.ts";', kindImport],
      parts: (kind) => [part(kind, "docs", "Docs")],
      open: [
        "/** Each provider's part of the API document. No running function imports it. */",
        "export const registeredDocs: { readonly [Kind in ProviderKind]: ProviderDocs } = {",
      ].join("\n"),
      entry: ([name = ""]) => name,
      close: "};",
    },
    {
      path: "supabase/local/simulator/channels.ts",
      about: "/** The simulated providers. Each has its own folder. */",
      imports: [
        'import type { Channel } from "./channel.ts";',
        'import type { ChannelKind } from "./records.ts";',
      ],
      parts: (kind) => [part(kind, "channel", "")],
      open: [
        "/** By kind: the compiler requires every provider of the product. */",
        "const byKind: Readonly<Record<ChannelKind, Channel>> = {",
      ].join("\n"),
      entry: ([name = ""]) => name,
      close: [
        "};",
        "",
        "/** In the order in which the console shows them: the gateways first, whose demo instance it opens. */",
        "export const channels: readonly Channel[] = Object.values(byKind).sort((one, other) =>",
        "  Number(one.isOfficial ?? false) - Number(other.isOfficial ?? false)",
        ");",
        "",
        "/** The simulated provider of a kind. */",
        "export function channelOf(kind: ChannelKind): Channel {",
        "  return byKind[kind];",
        "}",
      ].join("\n"),
    },
    {
      path: "supabase/local/simulator/channel_routes.ts",
      about:
        "/** The endpoints of the simulated providers, by kind: the compiler requires those of every one. */",
      imports: [
        'import type { ChannelRoutes } from "./channel.ts";',
        'import type { SimulatorContext } from "./context.ts";',
        'import type { ChannelKind } from "./records.ts";',
      ],
      parts: (
        kind,
      ) => [{ name: `create${toPascal(kind)}Routes`, from: `./${kind}/routes.ts` }],
      open:
        "const creators: Readonly<Record<ChannelKind, (context: SimulatorContext) => ChannelRoutes>> = {",
      entry: ([name = ""]) => name,
      close: [
        "};",
        "",
        "/** Creates the endpoints of one provider. */",
        "export function createChannelRoutes(kind: ChannelKind, context: SimulatorContext): ChannelRoutes {",
        "  return creators[kind](context);",
        "}",
      ].join("\n"),
    },
    {
      path: "tests/support/providers/registered_facts.ts",
      about: "/** What the tests know of each provider. */",
      imports: [
        'import type { ProviderKind } from "../../../shared/model/provider_kind.ts";',
        'import type { ProviderFacts } from "./facts.ts";',
      ],
      parts: (kind) => [{ name: `${toCamel(kind)}Facts`, from: `./${kind}/facts.ts` }],
      open: [
        "/** By kind: the compiler asks for those of every provider. */",
        "export const factsOf: { readonly [Kind in ProviderKind]: ProviderFacts } = {",
      ].join("\n"),
      entry: ([name = ""]) => name,
      close: "};",
    },
  ];
}

const notice = "// Written by `deno task providers` from shared/model/provider_kind.ts.";

/** The text of one list for these kinds, in their order. */
function render(file: RegistryFile, kinds: readonly string[]): string {
  const parts = kinds.map((kind) => file.parts(kind));
  const entries = kinds.map((kind, index) => {
    const entry = file.entry((parts[index] ?? []).map(({ name }) => name));
    return entry === kind ? `  ${kind},` : `  ${kind}: ${entry},`;
  });
  return [
    notice,
    ...(file.about === undefined ? [] : [file.about]),
    ...file.imports,
    ...parts.flat().map(({ name, from }) => `import { ${name} } from "${from}";`),
    "",
    file.open,
    ...entries,
    file.close,
    "",
  ].join("\n");
}

/**
 * The text of every list, by its path, for these kinds. `administered`: those with a file of
 * administration of their own.
 */
export function renderRegistries(
  kinds: readonly string[],
  administered: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  return new Map(listRegistries(administered).map((file) => [file.path, render(file, kinds)]));
}

/** The lists as the repository's folders ask for them. */
export async function writeRegistries(): Promise<ReadonlyMap<string, string>> {
  const administered = new Set<string>();
  for (const kind of providerKinds) {
    for await (const { name } of Deno.readDir(new URL(`shared/providers/${kind}`, root))) {
      if (name === "administration.ts") administered.add(kind);
    }
  }
  return renderRegistries(providerKinds, administered);
}

if (import.meta.main) {
  const isCheck = Deno.args.includes("--check");
  let isSame = true;
  for (const [path, text] of await writeRegistries()) {
    const file = new URL(path, root);
    if (await Deno.readTextFile(file).catch(() => "") === text) continue;
    isSame = false;
    if (!isCheck) await Deno.writeTextFile(file, text);
    const line = `${path} ${isCheck ? "is not" : "is now"} what the list of kinds says\n`;
    Deno.stdout.writeSync(new TextEncoder().encode(line));
  }
  if (isCheck && !isSame) Deno.exit(1);
}
