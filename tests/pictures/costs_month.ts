/** Photographs a month of the console's costs, for docs/cost.md. The amounts are invented. */

import { openPage } from "../support/browser/browser.ts";
import type { LocalStack } from "../support/stack/local_stack.ts";

interface Amounts {
  readonly key: string;
  /** Messages on a working day, and the price of one in thousandths of a dollar. */
  readonly perDay: number;
  readonly thousandths: number;
}

const categories: readonly Amounts[] = [
  { key: "marketing", perDay: 120, thousandths: 20 },
  { key: "service", perDay: 420, thousandths: 3 },
  { key: "utility", perDay: 200, thousandths: 4 },
];

/** The day that the picture shows as today. */
const today = "2026-11-23";

/**
 * Photographs the panel as an instance with these sums and this budget would show it.
 *
 * @throws {Error} when the page's scripts report a fault.
 */
export async function takeCostsPicture(
  stack: LocalStack,
  { browserPath, path }: { readonly browserPath: string; readonly path: string },
): Promise<void> {
  await using browser = await openPage(browserPath, { width: 1_360, height: 780 });
  const { page } = browser;
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.clock.setFixedTime(`${today}T15:00:00Z`);
  await page.route("**/messages-api/health?*", async (route) => {
    const health = await (await route.fetch()).json();
    await route.fulfill({ json: { ...health, budget: inventBudget() } });
  });
  await page.route("**/messages-api/usage?*", async (route) => {
    const answer = { success: true, currency: "USD", items: inventMonth(), nextCursor: null };
    await route.fulfill({ json: answer });
  });
  await page.goto(stack.origin);
  await page.getByRole("tab", { name: "Costs", exact: true }).click();
  const panel = page.getByRole("region", { name: "Costs" });
  await panel.locator("svg rect").nth(40).waitFor();
  await panel.screenshot({ path });
  if (browser.faults.length > 0) throw new Error(browser.faults.join("\n"));
}

/** The sums of the month until today by category: campaigns on working days, little on Sundays. */
function inventMonth(): readonly { readonly estimatedCost: string }[] {
  const days = Number(today.slice(8));
  return Array.from({ length: days }, (_, index) => index).flatMap((index) => {
    const day = new Date(Date.parse(`${today.slice(0, 8)}01`) + index * 86_400_000);
    const isSunday = day.getUTCDay() === 0;
    return categories.filter(({ key }) => !isSunday || key === "service").map((category) => {
      const wave = 70 + (index * 37) % 60;
      const delivered = Math.round(category.perDay * wave / (isSunday ? 400 : 100));
      return {
        ...{ day: day.toISOString().slice(0, 10), key: category.key },
        ...{ sent: delivered, delivered, free: 0, unknown: 0 },
        estimatedCost: (delivered * category.thousandths / 1_000).toFixed(3),
      };
    });
  });
}

function inventBudget(): unknown {
  const spent = inventMonth().reduce(
    (total, { estimatedCost }) => total + Number(estimatedCost),
    0,
  );
  return {
    ...{ monthlyAmount: "150", currency: "USD", spent: spent.toFixed(3) },
    ...{ underWay: "0.42", reached: false },
  };
}
