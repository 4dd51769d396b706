/** Every regular expression takes linear time, whatever a caller, a stranger or a provider sends. */

import { analyse } from "scslre";
import { assert, assertEquals } from "../support/assert.ts";
import { listParts, listPatterns, type WrittenPattern } from "./regular_expressions.ts";
import { readTextFiles } from "./repository.ts";

/** Made of parts that are written down, and measured where they are tested. */
const composed: Readonly<Record<string, string>> = {
  "shared/providers/http/redaction.ts": "tests/unit/providers/http/redaction_test.ts",
  "shared/providers/evolution/errors.ts": "words between fixed ones, without a quantifier",
};

const unknown: string[] = [];
const files =
  (await readTextFiles("functions", "shared", "packages", "supabase/serve", "supabase/host"))
    .filter(({ path }) => path.endsWith(".ts") && !path.includes("/tests/"));
const patterns = files.flatMap((file) => listPatterns(file, (code) => unknown.push(code)));

/** Where backtracking, or the search from each place, takes more than linear time. */
function findSlowParts({ source, flags }: Pick<WrittenPattern, "source" | "flags">): string[] {
  return analyse({ source, flags }).reports.map((report) => {
    const quantifiers = report.type === "Trade"
      ? [report.startQuant, report.endQuant]
      : [report.quant];
    return `${report.type} ${quantifiers.map(({ raw }) => raw).join(" ")}`;
  });
}

Deno.test("no regular expression backtracks or searches in more than linear time", () => {
  assert(patterns.length > 150, `only ${patterns.length} were found`);
  const slow = patterns.flatMap((pattern) =>
    findSlowParts(pattern).map((part) => `${pattern.path} /${pattern.source}/: ${part}`)
  );
  assertEquals(slow, []);
  const unread = unknown.filter((code) => composed[code.split(": ")[0] ?? ""] === undefined);
  assertEquals(unread, [], "made of what no test can read");
});

const [length, factor] = [1_000, 16];
/** A longer search is measured again, and against a shorter one. */
const suspiciousMs = 4;

/** A part whose repetition takes the pattern quadratic time; undefined for none. */
function findSlowPart(
  { source, flags }: Pick<WrittenPattern, "source" | "flags">,
): string | undefined {
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ""));
  const measure = (text: string): number => {
    const startedAt = performance.now();
    pattern.test(text);
    return performance.now() - startedAt;
  };
  return listParts(source).find((part) => {
    const [short, long] = [length, length * factor].map((units) =>
      part.repeat(units / part.length) + "\u0001"
    ) as [string, string];
    if (measure(long) < suspiciousMs) return false;
    let [shortMs, longMs] = [Infinity, Infinity];
    for (let round = 0; round < 4; round++) {
      longMs = Math.min(longMs, measure(long));
      if (longMs < suspiciousMs) return false;
      shortMs = Math.min(shortMs, measure(short));
    }
    // Quadratic work takes 256 times as long, linear work 16 times.
    return longMs / shortMs > factor * 4;
  });
}

Deno.test("no regular expression takes quadratic time on what its own characters can be put together to", () => {
  const slow = patterns.flatMap((pattern) => {
    const part = findSlowPart(pattern);
    return part === undefined ? [] : [`${pattern.path} /${pattern.source}/: ${part}`];
  });
  assertEquals(slow, []);
});

Deno.test("a slow regular expression is found, by its form and by a text", () => {
  const text = String
    .raw`const a = /<(?=\s*\/?\s*quote)/gi, b = new RegExp("(a|aa)*$"), c = RegExp(made);`;
  const read: string[] = [];
  const written = listPatterns({ path: "a.ts", text }, (code) => read.push(code));
  assertEquals(written.map(({ source, flags }) => [source, flags]), [
    [String.raw`<(?=\s*\/?\s*quote)`, "gi"],
    ["(a|aa)*$", ""],
  ]);
  assertEquals(read, ["a.ts: RegExp(made)"]);
  for (
    const source of [String.raw`<(?=\s*\/?\s*quote)`, String.raw`\/+$`, String.raw`^\s*\w*\s*x`]
  ) {
    assert(findSlowParts({ source, flags: "" }).length > 0, source);
  }
  const wrapped = String.raw`(?:^|\s)([_~])\S(?:.*\S)?\1(?=\s|$)`;
  assert(findSlowPart({ source: wrapped, flags: "u" }) !== undefined, wrapped);
});
