import { parse } from "yaml";
import { metricFamilies } from "../../../functions/metrics/families.ts";
import { sampleNames } from "../../../functions/metrics/exposition.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createSmallTenant } from "../../support/fixtures/tenant_requests.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { scrape } from "./metrics_client.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const folder = new URL("../../../docs/monitoring/", import.meta.url);
const rules: readonly Rule[] = parse(await Deno.readTextFile(new URL("alerts.yaml", folder)))
  .groups.flatMap((group: { readonly rules: readonly Rule[] }) => group.rules);
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  await Deno.readTextFile(new URL("dashboard.json", folder)),
);

/** The metrics that expressions name, each with the labels that it is selected by. */
function listSelectors(expressions: readonly string[]): readonly (readonly [string, string[]])[] {
  return expressions.flatMap((expr) =>
    [...expr.matchAll(/\b(messaging_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", matchers = ""]) =>
      [name, [...matchers.matchAll(/(\w+)!?=~?"/g)].map(([, label = ""]) => label)] as const
    )
  );
}

Deno.test("every metric and every label of the dashboard and of the alert rules is in a scrape", async () => {
  await using stack = await startMessagingStack();
  await createSmallTenant(stack.admin);
  await stack.dispatch();
  const { families } = await scrape(stack);
  const labels = new Map<string, Set<string>>();
  for (const sample of [...families.values()].flatMap(({ samples }) => samples)) {
    const known = labels.get(sample.name) ?? new Set();
    for (const label of Object.keys(sample.labels)) known.add(label);
    labels.set(sample.name, known);
  }
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const selectors = listSelectors(expressions);
  assert(selectors.length > 30, String(selectors.length));
  for (const [name, selectedBy] of selectors) {
    assert(labels.has(name), `${name} is in no scrape`);
    for (const label of selectedBy) assert(labels.get(name)?.has(label), `${name}{${label}}`);
  }
  for (const expr of expressions) {
    for (const [pairs] of expr.matchAll(/[({})[\]]+/g)) assert(pairs.length < 6, expr);
    for (const [open, close] of ["()", "{}", "[]"]) {
      assertEquals(expr.split(open ?? "").length, expr.split(close ?? "").length, expr);
    }
  }
});

Deno.test("every metric stands on the dashboard", () => {
  const named = new Set(
    listSelectors(dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))
      .map(([name]) => name),
  );
  const absent = metricFamilies.filter((family) =>
    !sampleNames(family).some((name) => named.has(name))
  );
  assertEquals(absent.map(({ name }) => name), []);
});

Deno.test("every alert has a name of its own, a severity and a sentence", () => {
  assertEquals(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations, for: pending = "0s" } of rules) {
    assert(/^Messaging[A-Za-z]+$/.test(alert), alert);
    assert(["critical", "warning"].includes(labels["severity"] ?? ""), alert);
    assert(/^[A-Z].*\.$/.test(annotations["summary"] ?? ""), alert);
    assert(/^\d+[smh]$/.test(pending), alert);
  }
  const ids = dashboard.panels.map(({ id }) => id);
  assertEquals(new Set(ids).size, ids.length);
});
