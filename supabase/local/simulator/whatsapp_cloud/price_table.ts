/**
 * What the simulated channel charges. **Every amount, market, tier and free quantity here is invented**: Meta
 * publishes a rate card for each currency, which this is not.
 */
import * as z from "zod";

/** The categories that have a price. */
const categories = ["marketing", "utility", "authentication", "service"] as const;

const priceSchema = z.string().regex(
  /^\d{1,4}(?:\.\d{1,6})?$/,
  "must be a decimal text, such as 0.02",
);

/** `POST /simulator/prices`. */
export const priceTableSchema = z.object({
  currency: z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, such as USD"),
  /** Of each number and calendar month in UTC. */
  freeServiceMessages: z.int().min(0).max(1_000_000),
  /** From this number of a month's utility or authentication messages of a market on, that much less. */
  volumeTiers: z.array(z.object({
    from: z.int().min(1).max(1_000_000),
    discountPercent: z.int().min(0).max(100),
  })).max(10),
  /** The longest calling code wins; without codes: all other phones. */
  markets: z.array(z.object({
    country: z.string().regex(/^[A-Z]{2,10}$/, "must be capital letters, such as BR"),
    callingCodes: z.array(z.string().regex(/^\d{1,7}$/, "must be digits")).max(50),
    prices: z.object(
      Object.fromEntries(categories.map((name) => [name, priceSchema])) as Record<
        (typeof categories)[number],
        typeof priceSchema
      >,
    ),
  })).min(1).max(50),
});

export type PriceTable = z.infer<typeof priceTableSchema>;

/** Invented. Small tiers, so that a test reaches them. */
export const inventedPrices: PriceTable = {
  currency: "USD",
  freeServiceMessages: 1_000,
  volumeTiers: [{ from: 1_000, discountPercent: 10 }, { from: 5_000, discountPercent: 20 }],
  markets: [
    {
      country: "BR",
      callingCodes: ["55"],
      prices: { marketing: "0.05", utility: "0.01", authentication: "0.02", service: "0.004" },
    },
    {
      country: "US",
      callingCodes: ["1"],
      prices: { marketing: "0.04", utility: "0.008", authentication: "0.015", service: "0.003" },
    },
    {
      country: "OTHER",
      callingCodes: [],
      prices: { marketing: "0.1", utility: "0.05", authentication: "0.05", service: "0.02" },
    },
  ],
};

/** The market of a phone; undefined where the table has none for it. */
export function findMarket(
  { markets }: PriceTable,
  waId: string,
): PriceTable["markets"][number] | undefined {
  const matching = markets.flatMap((market) =>
    (market.callingCodes.length === 0 ? [""] : market.callingCodes)
      .filter((code) => waId.startsWith(code))
      .map((code) => ({ market, length: code.length }))
  );
  return matching.sort((one, other) => other.length - one.length)[0]?.market;
}
