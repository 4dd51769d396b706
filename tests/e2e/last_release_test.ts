import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { GitError, runGit } from "../support/releases/checkout.ts";
import { findLastRelease } from "../support/releases/last_release.ts";

const hasGit = await runGit(["--version"]).then(() => true, (error) => {
  if (error instanceof GitError) return false;
  throw error;
});

Deno.test({
  name: "the last release is the newest commit before this one that wrote a version from 1.0.0 on",
  ignore: !hasGit,
  fn: async () => {
    await using repository = await createRepository();
    const { commit, folder } = repository;
    await commit("0.1.0");
    assertEquals(await findLastRelease(folder), { missing: "git has no release yet" });
    const first = await commit("1.0.0");
    assertEquals(await findLastRelease(folder), { commit: first, version: "1.0.0" }, "itself");
    await commit();
    assertEquals(await findLastRelease(folder), { commit: first, version: "1.0.0" });
    const second = await commit("1.1.0");
    assertEquals(await findLastRelease(folder), { commit: first, version: "1.0.0" });
    await commit();
    assertEquals(await findLastRelease(folder), { commit: second, version: "1.1.0" });
  },
});

Deno.test({
  name: "without the history of git the tests of upgrades are left out, and say why",
  ignore: !hasGit,
  fn: async () => {
    await using repository = await createRepository();
    const { commit, folder } = repository;
    const released = await commit("1.0.0");
    await commit();
    const shallow = join(folder, "clone");
    const clone = (): Promise<string> =>
      runGit(["clone", "--quiet", "--depth=1", `file://${folder}`, shallow], folder);
    await clone();
    assertEquals(await findLastRelease(shallow), {
      missing: "this clone is shallow: `git fetch --unshallow`",
    });
    await runGit(["tag", "v1.0.0", released], folder);
    await runGit(["fetch", "--quiet", "--depth=1", "origin", "tag", "v1.0.0"], shallow);
    assertEquals(await findLastRelease(shallow), { commit: released, version: "1.0.0" });

    await using plain = await makeFolder();
    const outside = await findLastRelease(plain.path);
    assert("missing" in outside);
    assertMatch(outside.missing, /not a git repository/);
  },
});

async function createRepository(): Promise<
  { readonly folder: string; commit(version?: string): Promise<string> } & AsyncDisposable
> {
  const { path: folder, [Symbol.asyncDispose]: dispose } = await makeFolder();
  const file = join(folder, "shared/model/version.ts");
  await Deno.mkdir(join(folder, "shared/model"), { recursive: true });
  await runGit(["init", "--quiet", "--initial-branch=main"], folder);
  const author = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
  return {
    folder,
    async commit(version): Promise<string> {
      if (version !== undefined) {
        await Deno.writeTextFile(file, `export const version = "${version}";\n`);
        await runGit(["add", "."], folder);
      }
      await runGit([...author, "commit", "--quiet", "--allow-empty", "-m", "x"], folder);
      return await runGit(["rev-parse", "HEAD"], folder);
    },
    [Symbol.asyncDispose]: dispose,
  };
}

async function makeFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "messaging-git-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
