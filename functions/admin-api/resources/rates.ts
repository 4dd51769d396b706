import * as z from "zod";
import { formSchema } from "../../../shared/model/bounded_fields.ts";
import type { Issue } from "../../../shared/model/errors.ts";
import { daySchema, idSchema, inOneLine } from "../../../shared/model/request_fields.ts";
import type { CrossCheck } from "../../../shared/http/validate.ts";
import { rateDifferenceFields } from "../../../shared/model/usage_record.ts";
import { recordAnswer } from "./answers.ts";

const nameSchema = inOneLine(z.string().trim().min(1).max(100));
const marketSchema = z.object({
  name: nameSchema,
  callingCodes: z.array(formSchema(/^[0-9]{1,7}$/, 7, "must be 1 to 7 digits")).max(500),
});
const rateSchema = z.object({
  market: nameSchema,
  category: formSchema(/^[a-z][a-z_]{0,49}$/, 50, "must look like marketing"),
  amount: formSchema(
    /^[0-9]{1,12}(?:\.[0-9]{1,10})?$/,
    23,
    "must be a decimal text from 0, such as 0.0625",
  ),
  effectiveFrom: daySchema,
});
const mostMarkets = 500;
/** Most rates of a workspace. */
export const mostRates = 5_000;
const tableFields = {
  workspaceId: idSchema,
  currency: formSchema(/^[A-Z]{3}$/, 3, "must be three capital letters, such as USD"),
  markets: z.array(marketSchema).max(mostMarkets),
  rates: z.array(rateSchema).max(mostRates),
};

/** PUT admin-api/rates. */
export const replaceRatesSchema = z.object({ ...tableFields, dryRun: z.boolean().optional() });

/** GET admin-api/rates. */
export const getRatesSchema = z.object({ workspaceId: idSchema });

export const replaceRatesResponseSchema = recordAnswer(rateDifferenceFields);

export const ratesResponseSchema = recordAnswer({
  ...tableFields,
  currency: tableFields.currency.nullable(),
});

const readableMarketsSchema = z.array(
  z.object({ name: z.string(), callingCodes: z.array(z.string()).max(mostMarkets) }),
).max(mostMarkets).catch([]);
const readableRatesSchema = z.array(
  z.object({ market: z.string(), category: z.string(), effectiveFrom: z.string() }).or(z.null())
    .catch(null),
).max(mostRates).catch([]);

/**
 * Checks that each market stands once and each calling code belongs to one market, that each rate's
 * market is named, and that a market and category have one rate a day: every fault at once.
 */
export const checkRates: CrossCheck = ({ markets, rates }) => {
  const named = readableMarketsSchema.parse(markets);
  const listed = readableRatesSchema.parse(rates);
  const codes = named.flatMap(({ callingCodes }, place) =>
    callingCodes.length === 0
      ? [{ key: "", path: `markets.${place}.callingCodes` }]
      : callingCodes.map((key, index) => ({ key, path: `markets.${place}.callingCodes.${index}` }))
  );
  const names = named.map(({ name }, place) => ({ key: name, path: `markets.${place}.name` }));
  const days = listed.flatMap((rate, place) =>
    rate === null ? [] : [{
      key: JSON.stringify([rate.market, rate.category, rate.effectiveFrom]),
      path: `rates.${place}`,
    }]
  );
  const known = new Set(named.map(({ name }) => name));
  // The name that cannot be stored is the fault, not what names it.
  const isReadable = Array.isArray(markets) &&
    named.every(({ name }) => name.isWellFormed() && !name.includes("\0"));
  const unknown = listed.flatMap((rate, place): Issue[] =>
    rate === null || known.has(rate.market) || !isReadable
      ? []
      : [{ path: `rates.${place}.market`, message: "must be the name of one of the markets" }]
  );
  return [
    ...listRepeated(names, "must be unique: another market has this name"),
    ...listRepeated(codes, "must be of one market: another one has this calling code, or none too"),
    ...unknown,
    ...listRepeated(days, "must be the only rate of its market and category from that day on"),
  ];
};

function listRepeated(
  items: readonly { readonly key: string; readonly path: string }[],
  message: string,
): Issue[] {
  const seen = new Set<string>();
  return items.flatMap(({ key, path }) => {
    if (seen.has(key)) return [{ path, message }];
    seen.add(key);
    return [];
  });
}
