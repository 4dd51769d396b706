import { type Issue, maxIssues } from "../model/errors.ts";

/**
 * Finds the texts and keys that the database cannot store, at any depth: those with NUL or half of
 * a surrogate pair. Stops at 100 issues.
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
          const message = "must not have a key with NUL or half of a surrogate pair";
          issues.push({ path, message });
        }
        if (issues.length >= maxIssues) return issues;
        pending.push({ path: path === "" ? key : `${path}.${key}`, value: member });
      }
    }
    if (issues.length >= maxIssues) return issues;
  }
  return issues;
}

function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}
