/** The lists of providers follow from the list of kinds. */
import {
  renderRegistries,
  toCamel,
  writeRegistries,
} from "../../supabase/tools/providers/write_registries.ts";
import { assert, assertEquals } from "../support/assert.ts";

Deno.test("each list names every kind once, in the documented order", () => {
  for (const [path, text] of renderRegistries(["whatsapp_cloud", "loft"], new Set())) {
    const entries = Array.from(text.matchAll(/^ {2}(\w+)(?:,|: \S.*,)$/gm), ([, name]) => name);
    assertEquals(entries, ["whatsapp_cloud", "loft"], path);
    for (const kind of ["whatsapp_cloud", "loft"]) {
      assert(text.includes(`from "./${kind}/`), `${path} imports from ${kind}`);
    }
  }
});

Deno.test("a provider with an administration of its own is listed by it, another by its configuration", () => {
  const lists = renderRegistries(["loft", "tower"], new Set(["tower"]));
  const text = lists.get("shared/providers/administration_registry.ts") ?? "";
  assert(text.includes("loft: describeAdministration(loftBasis),"), text);
  assert(text.includes("tower: describeAdministration(towerAdministration),"), text);
});

Deno.test("a kind's names are its words in camel case", () => {
  assertEquals(["zapi", "whatsapp_cloud", "a_b_c"].map(toCamel), ["zapi", "whatsappCloud", "aBC"]);
});

Deno.test("the committed lists are those of the kinds: deno task providers writes them", async () => {
  const root = new URL("../../", import.meta.url);
  for (const [path, text] of await writeRegistries()) {
    assertEquals(await Deno.readTextFile(new URL(path, root)), text, path);
  }
});
