/** Finds the release that databases are upgraded from. */

import { fileURLToPath } from "node:url";
import { GitError, runGit } from "./checkout.ts";

const ownFolder = fileURLToPath(new URL("../../..", import.meta.url));
const versionFile = "shared/model/version.ts";

/** A release in git, or why none can be tested. */
export type LastRelease =
  | { readonly commit: string; readonly version: string }
  | { readonly missing: string };

/**
 * The newest release before the present commit: the last commit that wrote the version. A commit that
 * is a release itself counts where there is no other, so that the tests have something to start.
 * Releases below 1.0.0 do not count: nothing can be upgraded from them (docs/migrations.md).
 *
 * A shallow clone has the release only where its tag was fetched.
 *
 * @param folder of the repository. Default: this one.
 */
export async function findLastRelease(folder = ownFolder): Promise<LastRelease> {
  const git = (...args: string[]): Promise<string> => runGit(args, folder);
  try {
    if (await git("rev-parse", "--show-prefix") !== "") {
      return { missing: "this folder is no git repository of its own" };
    }
    const isShallow = await git("rev-parse", "--is-shallow-repository") === "true";
    const commits = isShallow
      ? await listTags(git)
      : splitLines(await git("log", "--format=%H", "--", versionFile));
    const head = await git("rev-parse", "HEAD");
    let ownRelease: LastRelease | undefined;
    for (const commit of commits) {
      const version = readVersion(await git("show", `${commit}:${versionFile}`));
      if (version === undefined) continue;
      if (commit !== head) return { commit, version };
      ownRelease = { commit, version };
    }
    return ownRelease ?? {
      missing: isShallow
        ? "this clone is shallow: `git fetch --unshallow`"
        : "git has no release yet",
    };
  } catch (error) {
    if (error instanceof GitError) return { missing: error.message.split("\n")[0] ?? "" };
    throw error;
  }
}

/** Commits of tags like `v1.2.0`, newest release first. */
async function listTags(git: (...args: string[]) => Promise<string>): Promise<string[]> {
  const tags = splitLines(await git("tag", "--list", "v[1-9]*.*.*", "--sort=-version:refname"));
  return await Promise.all(tags.map((tag) => git("rev-parse", `${tag}^{commit}`)));
}

/** The version that a file says; undefined below 1.0.0. */
function readVersion(text: string): string | undefined {
  const version = /\bversion = "(\d+\.\d+\.\d+)"/.exec(text)?.[1];
  return version?.startsWith("0.") === true ? undefined : version;
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
