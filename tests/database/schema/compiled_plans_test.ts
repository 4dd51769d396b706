import postgres from "postgres";
import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createSmallTenant } from "../../support/fixtures/tenant_requests.ts";
import { tenantWorks } from "../../support/fixtures/tenant_works.ts";

/** What auto_explain tells of a statement. */
interface ExplainedPlan {
  readonly Plan: { readonly "Total Cost": number };
  readonly Settings?: { readonly jit?: string };
}

/** From this cost on Postgres compiles a plan, which takes a hundred milliseconds and more (jit_above_cost). */
const jitAboveCost = 100_000;

Deno.test("no plan of any function is compiled for its cost alone: one that switches the usual ways off switches jit off too", async () => {
  await using database = await createTestDatabase({ own: true });
  const tenant = await createSmallTenant(database.admin);
  const plans: ExplainedPlan[] = [];
  const compiled = new Set<string>();
  const session = postgres(database.url, {
    max: 1,
    onnotice: ({ message = "" }) => {
      if (message.includes("plan:\n")) plans.push(readPlan(message));
    },
  });
  try {
    await explainEverything(session);
    const works = [
      ...tenantWorks(tenant),
      ["hold_suspects", `select public.hold_suspects('{"maxInstances": 100}')`] as const,
    ];
    for (const [name, statement] of works) {
      await session.unsafe("begin");
      const first = plans.length;
      await session.unsafe(statement);
      const isCompiled = plans.slice(first).some(({ Plan, Settings }) =>
        Plan["Total Cost"] > jitAboveCost && Settings?.jit !== "off"
      );
      if (isCompiled) compiled.add(name);
      await session.unsafe("rollback");
    }
  } finally {
    await session.end();
  }
  assert(plans.length > 500, `${plans.length} plans`);
  assertEquals([...compiled], []);
});

async function explainEverything(session: Sql): Promise<void> {
  await session.unsafe(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_nested_statements = on;
    set auto_explain.log_settings = on;
    set auto_explain.log_format = 'json';
    set client_min_messages = log;`);
}

function readPlan(message: string): ExplainedPlan {
  return JSON.parse(message.slice(message.indexOf("plan:\n") + "plan:\n".length));
}
