/** `deno task outdated` must know every version that the repository pins. */
import { holds } from "../../supabase/tools/dependencies/holds.ts";
import { findHold } from "../../supabase/tools/dependencies/outdated_packages.ts";
import { mayPin } from "../../supabase/tools/dependencies/pinned_files.ts";
import {
  findUnknownConstants,
  readPins,
} from "../../supabase/tools/dependencies/pinned_packages.ts";
import { assertEquals } from "../support/assert.ts";
import { readTextFiles, type TextFile } from "./repository.ts";

const folders = ["functions", "packages", "shared", "supabase", "tests"];

async function readFiles(): Promise<TextFile[]> {
  const files = await readTextFiles("import_map.json", ...folders);
  return files.filter(({ path }) => mayPin(path));
}

Deno.test("every version that stands alone in a constant is known by its package", async () => {
  const unknown = (await readFiles()).flatMap(({ path, text }) =>
    path.endsWith(".ts") ? findUnknownConstants(text).map((name) => `${path}: ${name}`) : []
  );
  assertEquals(unknown, []);
});

Deno.test("every package that is held back is pinned", async () => {
  const pins = (await readFiles()).flatMap(({ path, text }) => readPins(path, text));
  const used = new Set(pins.map((pin) => findHold(pin, holds)));
  assertEquals(holds.filter((hold) => !used.has(hold)), []);
});
