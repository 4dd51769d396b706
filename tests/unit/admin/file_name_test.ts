import { languageCode, plainName, toFileName } from "../../../supabase/admin/file_name.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const hostile = [
  ...["../../../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "C:x", "~", "-rf", ".git", ""],
  ...["con", "nul", "com1", "a\0b", "a\nb", "\u001b]52;c;x\u0007", "\u202egnp", "x".repeat(5_000)],
  ...["Aviso", "AVISO", "aviso ", "aviso.", "aviso?", "\ud800", "ação", "ac\u0327a\u0303o"],
];

/** The name of a file for a template. */
const nameOf = (name: string, language = "pt_BR"): string =>
  toFileName([{ text: name, plain: plainName }, { text: language, plain: languageCode }], "json");

Deno.test("a plain name stays as it is", () => {
  assertEquals(nameOf("pedido_enviado"), "pedido_enviado.pt_BR.json");
});

Deno.test("no name leads out of its folder, and none is one that a system refuses", () => {
  for (const text of hostile) {
    const name = nameOf(text, text);
    assert(/^[a-z0-9_]*-[0-9a-f]{12}\.[a-z0-9_]*-[0-9a-f]{12}\.json$/.test(name), name);
    assert(name.length < 200, name);
  }
});

Deno.test("different names have different files, also where cases are not told apart", () => {
  const names = [...hostile, "aviso", "a_b"].map((text) => nameOf(text).toLowerCase());
  assertEquals(new Set(names).size, names.length);
  assert(nameOf("a", "pt_br") !== nameOf("a").toLowerCase());
});
