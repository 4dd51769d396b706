import { assertEquals, assertGreater } from "../support/assert.ts";
import { testLayers } from "../support/runner/test_layers.ts";
import { readTextFiles } from "./repository.ts";

Deno.test("no test file that listens to uncaught errors shares its isolate", async () => {
  const listening = (await readTextFiles("tests"))
    .filter(({ path, text }) => path.endsWith("_test.ts") && /driver_faults\.ts"/.test(text))
    .map(({ path }) => path);
  assertGreater(listening.length, 0);
  const sharing = listening.filter((path) => {
    const layer = testLayers.find(({ name }) => path.startsWith(`tests/${name}/`));
    return layer?.isolates !== undefined &&
      !path.startsWith(`tests/${layer.name}/${layer.unsharedFolder}/`);
  });
  assertEquals(sharing, []);
});
