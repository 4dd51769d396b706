/** A month's sums beside what a provider bills: what is compared, and how a difference is counted. */

import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { replaceRates } from "../../support/fixtures/budgets.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the function returns
type Json = any;

Deno.test("what was delivered in the month is compared category by category, and differences never cancel out", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const tenant = await createTenant(admin, { provider: "whatsapp_cloud" });
  const { instanceId } = tenant;
  await replaceRates(admin, tenant);
  const usage = (day: string, key: string, counts: readonly number[], amount: string) =>
    admin`
    insert into messaging.usage (
      instance_id, grouping, day, key, currency, sent, delivered, unknown, amount
    ) values (${instanceId}, 'category', ${day}, ${key}, 'USD', ${counts[0] ?? 0},
      ${counts[1] ?? 0}, ${counts[2] ?? 0}, ${amount})`;
  await usage("2026-09-30", "service", [100, 100, 100], "100");
  await usage("2026-10-01", "service", [3, 2, 1], "0.2");
  await usage("2026-10-31", "service", [3, 3, 0], "0.3");
  await usage("2026-10-31", "utility", [3, 0, 0], "0");
  await usage("2026-11-01", "service", [100, 100, 100], "100");
  const compare = (points: readonly Json[], changes: object = {}): Promise<Json> =>
    callFunction(admin, "compare_usage", {
      ...{ instanceId, month: "2026-10", currency: "USD", points, ...changes },
    });
  const point = (category: string, volume: number, cost: number) => ({
    ...{ category, type: "REGULAR", volume, cost },
  });
  const points = [point("SERVICE", 4, 0.25), point("marketing", 1, 0.1)];
  const told = await compare(points);
  assertEquals(told.categories, [
    {
      ...{ key: "marketing", delivered: 0, providerVolume: 1, unknown: 0 },
      ...{ estimatedCost: "0", providerCost: "0.1" },
    },
    {
      ...{ key: "service", delivered: 5, providerVolume: 4, unknown: 1 },
      ...{ estimatedCost: "0.5", providerCost: "0.25" },
    },
  ]);
  assertEquals(told.total, {
    ...{ delivered: 5, providerVolume: 5, unknown: 1 },
    ...{ estimatedCost: "0.5", providerCost: "0.35" },
  });
  assertEquals(told.difference, { volumePercent: 40, costPercent: 100 });
  const differences = async (...args: Parameters<typeof compare>): Promise<unknown[]> => {
    const { difference: { volumePercent, costPercent } } = await compare(...args);
    return [volumePercent, costPercent];
  };
  assertEquals(await differences(points, { currency: null }), [40, 100]);
  assertEquals(await differences(points, { currency: "BRL" }), [40, null]);
  assertEquals(await differences([point("service", 6, 0.6)]), [16.67, 16.67]);
  assertEquals(await differences([]), [100, 100], "the provider bills nothing");
  assertEquals(await differences([], { month: "2026-08" }), [0, 0], "nobody has anything");
});
