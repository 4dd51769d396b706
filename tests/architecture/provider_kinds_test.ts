import { providerKinds } from "../../shared/model/provider_kind.ts";
import { assertEquals } from "../support/assert.ts";
import { listNames, readTextFiles, type TextFile } from "./repository.ts";
import { resolveRelative } from "./source_file.ts";

/** The files that each provider has in its folder, by the folder above it. */
const fileNames: Readonly<Record<string, readonly string[]>> = {
  "shared/providers": [
    "answer.ts",
    "config.ts",
    "descriptor.ts",
    "docs.ts",
    "errors.ts",
    "event_content.ts",
    "events.ts",
    "known_fields.ts",
    "provider.ts",
    "request.ts",
    "sending.ts",
    "webhook.ts",
  ],
  "supabase/local/simulator": ["channel.ts", "events.ts", "messages.ts", "routes.ts"],
};

/** The files outside the providers' folders that may name a kind, each with its reason. */
const reasons: Readonly<Record<string, string>> = {
  "shared/model/provider_kind.ts": "the list of kinds, which stands below providers/",
  "shared/providers/registry.ts": "written from the kinds: the list of descriptors",
  "shared/providers/sending_registry.ts": "written: the list for the functions that send",
  "shared/providers/webhook_registry.ts": "written: the list for the function that receives events",
  "shared/providers/administration_registry.ts": "written: the list for the function of instances",
  "shared/providers/registered_docs.ts": "written: the list of what documents them",
  "supabase/schemas/tenancy/tables/instances.sql": "the database checks the kinds by itself",
  "functions/admin-api/resources/connection_docs.ts": "an example is of some provider",
  "functions/admin-api/resources/instances_docs.ts": "an example is of some provider",
  "supabase/local/demo.ts": "the demo instance is of some provider",
  "supabase/local/stack.ts": "the demo instance is of some provider",
  "supabase/local/simulator/channels.ts": "written: the list of simulated providers",
  "supabase/local/simulator/channel_routes.ts": "written: the list of their endpoints",
};

function isOwnFolder(path: string): boolean {
  return providerKinds.some((kind) =>
    Object.keys(fileNames).some((folder) => path.startsWith(`${folder}/${kind}/`))
  );
}

/** A kind in quotes of any sort, also as a part of the path in them. */
const literal = new RegExp(
  `["'\`](?:[^"'\`\\n]*[/ ])?(${providerKinds.join("|")})(?:[/ ][^"'\`\\n]*)?["'\`]`,
);
const relativeImport = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Kinds and imports of a provider's files where neither belongs. */
function findKinds(files: readonly TextFile[]): string[] {
  return files.filter(({ path }) => !isOwnFolder(path) && !Object.hasOwn(reasons, path))
    .flatMap(({ path, text }) => {
      const imported = Array.from(
        text.matchAll(relativeImport),
        ([, specifier]) => resolveRelative(path, specifier ?? "") ?? "",
      ).filter(isOwnFolder);
      const named = literal.exec(text.replaceAll(relativeImport, ""));
      return [
        ...imported.map((target) => `${path} imports ${target}`),
        ...(named === null ? [] : [`${path} names ${named[1]}`]),
      ];
    });
}

Deno.test("no file outside its folder, the registries and the list of kinds names a provider", async () => {
  const files = (await readTextFiles("functions", "shared", "supabase"))
    .filter(({ path }) => /\.(?:ts|js|sql)$/.test(path));
  assertEquals(findKinds(files), []);
});

Deno.test("a provider's name or file outside its folder is found", () => {
  const offending = [
    `if (instance.provider === "zapi") return;`,
    "const path = `provider-webhook/zapi/${id}`;",
    `where i.provider = 'whatsapp_cloud'`,
    `import { a } from "../../shared/providers/evolution/config.ts";`,
    `const b = await import("../../shared/providers/evolution/config.ts");`,
  ];
  for (const text of offending) {
    assertEquals(findKinds([{ path: "functions/a/app.ts", text }]).length, 1, text);
  }
  const own = { path: "shared/providers/zapi/descriptor.ts", text: `kind: "zapi"` };
  const prose = { path: "functions/a/app.ts", text: "// Z-API, Evolution API; zapiToken" };
  assertEquals(findKinds([own, prose]), []);
});

Deno.test("every exception still names a kind", async () => {
  const files = new Map(
    (await readTextFiles(...Object.keys(reasons))).map((one) => [one.path, one]),
  );
  const unneeded = Object.keys(reasons).filter((path) =>
    !providerKinds.some((kind) => files.get(path)?.text.includes(kind))
  );
  assertEquals(unneeded, []);
});

Deno.test("every provider's folder has the same files", async () => {
  for (const [folder, expected] of Object.entries(fileNames)) {
    for (const kind of providerKinds) {
      const names = await listNames(`${folder}/${kind}`);
      assertEquals(expected.filter((name) => !names.includes(name)), [], `${folder}/${kind}`);
    }
  }
});
