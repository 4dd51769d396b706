import type { Issue } from "../model/errors.ts";

const maxIssues = 100;

/**
 * Finds the texts and keys that the database cannot store, at any depth: those with NUL or half of
 * a surrogate pair. Returns at most 100 issues.
 */
export function findUnstorableText(root: unknown): Issue[] {
  const issues: Issue[] = [];
  const pending: { path: string; value: unknown }[] = [{ path: "", value: root }];
  // Iterates instead of recursing, because the caller controls the depth of the input.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next;
    if (typeof value === "string" && !isStorable(value)) {
      issues.push({ path, message: "must not contain NUL or half of a surrogate pair" });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!isStorable(key)) {
          issues.push({
            path,
            message: "must not have a key with NUL or half of a surrogate pair",
          });
        }
        pending.push({ path: path === "" ? key : `${path}.${key}`, value: member });
      }
    }
  }
  return issues.slice(0, maxIssues);
}

function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}
