import { formatLock, selectPackages } from "../../../supabase/tools/locks/select_packages.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

const lock = {
  version: "5",
  specifiers: { "npm:a@1.0.0": "1.0.0_peer@3.0.0", "npm:tool@2.0.0": "2.0.0" },
  npm: {
    "a@1.0.0_peer@3.0.0": {
      integrity: "sha512-a",
      dependencies: ["b@1.0.0", "peer"],
      optionalPeers: ["peer"],
    },
    "b@1.0.0": { integrity: "sha512-b", optionalDependencies: ["native"] },
    "b@2.0.0": { integrity: "sha512-b2" },
    "native@1.0.0": { integrity: "sha512-n", os: ["linux"], cpu: ["x64", "arm64"] },
    "peer@3.0.0": { integrity: "sha512-p" },
    "tool@2.0.0": { integrity: "sha512-t", dependencies: ["b@2.0.0", "peer"] },
  },
  workspace: { dependencies: ["npm:a@1.0.0", "npm:tool@2.0.0"] },
};

Deno.test("a selection has a program's packages with what those need, in the same versions", () => {
  const selected = selectPackages(lock, ["npm:a@1.0.0"]);
  assertEquals(Object.keys(selected.specifiers), ["npm:a@1.0.0"]);
  assertEquals(Object.keys(selected.npm), ["a@1.0.0_peer@3.0.0", "b@1.0.0", "native@1.0.0"]);
  assertEquals(selected.npm["b@1.0.0"], lock.npm["b@1.0.0"]);
});

Deno.test("an optional peer that only a tool brings is left out, and named nowhere", () => {
  const selected = selectPackages(lock, ["npm:a@1.0.0"]);
  assertEquals(selected.npm["a@1.0.0_peer@3.0.0"], {
    integrity: "sha512-a",
    dependencies: ["b@1.0.0"],
  });
  const both = selectPackages(lock, ["npm:a@1.0.0", "npm:tool@2.0.0"]);
  assertEquals(both.npm, lock.npm);
});

Deno.test("a package that the lock file lacks is named", () => {
  assertThrows(() => selectPackages(lock, ["npm:c@1.0.0"]), Error, "npm:c@1.0.0");
});

Deno.test("a lock file is written as Deno writes it: systems in one line", () => {
  const text = formatLock(selectPackages(lock, ["npm:a@1.0.0"]));
  assertEquals(
    text.includes(`      "os": ["linux"],\n      "cpu": ["x64", "arm64"]\n`),
    true,
    text,
  );
  assertEquals(text.endsWith("}\n"), true);
});
