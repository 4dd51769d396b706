import type { Command } from "commander";
import * as z from "zod";
import { toVisibleJson } from "../../shared/model/visible_text.ts";
import { type AdminAnswer, type AdminApi, AdminApiError, unexpectedResponse } from "./admin_api.ts";
import { addDecimals, negateDecimal } from "./decimals.ts";
import { formatTable } from "./table.ts";

/** What the commands need of the program. */
export interface UsageCommandContext {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  readonly wantsJson: () => boolean;
  /** Reads every page of a collection. */
  readonly listAll: (path: string, query: Options) => Promise<AdminAnswer[]>;
}

type Options = Readonly<Record<string, unknown>>;

/** Above this difference, in percent, our sums and the provider's do not agree. */
const toleratedPercent = 2;

/** Adds `usage`: what an instance's messages have cost, by our sums and beside the provider's. */
export function addUsage(context: UsageCommandContext, program: Command): void {
  const command = program.command("usage")
    .argument("<instance>", "the instance")
    .description("what an instance's messages have cost (docs/cost.md)")
    .option("--month <month>", "YYYY-MM; default: this month")
    .option("--from <day>", "first day, YYYY-MM-DD, in the place of --month")
    .option("--to <day>", "last day, with --from")
    .option("--group-by <what>", "as groupBy of messages-api/usage", "day")
    .addHelpText(
      "after",
      "\nExamples:\n  deno task admin usage <instance> --month 2026-11 --group-by category\n" +
        "  deno task admin usage reconcile <instance> --month 2026-11",
    )
    .action((instance: string, options: Options) => showUsage(context, instance, options));
  command.command("reconcile <instance>")
    .description(
      `compare a month with what Meta bills; exit code 1 above ${toleratedPercent} % difference`,
    )
    .option("--month <month>", "required: YYYY-MM, in the instance's time zone")
    .action((instance: string, _: Options, reconcile: Command) => {
      // The outer command takes the option, which it has too.
      const { month } = reconcile.optsWithGlobals();
      if (typeof month !== "string") throw new AdminApiError("Give --month, as YYYY-MM.", true);
      return showComparison(context, instance, month);
    });
}

const sumsSchema = z.array(z.object({
  key: z.string().nullable(),
  sent: z.number(),
  delivered: z.number(),
  free: z.number(),
  estimatedCost: z.string(),
  unknown: z.number(),
}));

async function showUsage(
  { api, print, wantsJson, listAll }: UsageCommandContext,
  instance: string,
  options: Options,
): Promise<void> {
  const groupBy = String(options["groupBy"]);
  const query = { ...readPeriod(options), groupBy };
  const path = `instances/${encodeURIComponent(instance)}/usage`;
  const first = await api.call("GET", `${path}?${new URLSearchParams({ ...query, limit: "1" })}`);
  const items = await listAll(path, query);
  const { currency } = first;
  if (wantsJson()) return print(`${toVisibleJson({ currency, items }, 2)}\n`);
  const { success, data } = sumsSchema.safeParse(items);
  if (!success) throw new AdminApiError(unexpectedResponse);
  const add = (field: "sent" | "delivered" | "free" | "unknown"): number =>
    data.reduce((sum, row) => sum + row[field], 0);
  const total = {
    ...{ key: "total", sent: add("sent"), delivered: add("delivered"), free: add("free") },
    ...{ estimatedCost: addDecimals(data.map((row) => row.estimatedCost)) },
    unknown: add("unknown"),
  };
  const cost = typeof currency === "string" ? `estimatedCost ${currency}` : "estimatedCost";
  const rows = (data.length === 0 ? [] : [...data, total]).map((
    { key, estimatedCost, ...row },
  ) => ({
    ...row,
    [groupBy]: key ?? "(none)",
    [cost]: estimatedCost,
  }));
  print(`${formatTable(rows, [groupBy, "sent", "delivered", "free", cost, "unknown"])}\n`);
}

/** @throws {AdminApiError} for options that name no period. */
function readPeriod({ month, from, to }: Options): { readonly from: string; readonly to: string } {
  if (month === undefined && typeof from === "string" && typeof to === "string") {
    return { from, to };
  }
  if (from !== undefined || to !== undefined) {
    throw new AdminApiError("Give --month, or --from and --to.", true);
  }
  const given = String(month ?? new Date().toISOString().slice(0, 7));
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(given) ?? [];
  if (year === undefined || number === undefined) {
    throw new AdminApiError("--month must be a month, YYYY-MM.", true);
  }
  const lastDay = new Date(Date.UTC(Number(year), Number(number), 0)).getUTCDate();
  return { from: `${given}-01`, to: `${given}-${lastDay}` };
}

const comparedSchema = z.object({
  delivered: z.number(),
  providerVolume: z.number(),
  estimatedCost: z.string(),
  unknown: z.number(),
  providerCost: z.string(),
});
const keyedSchema = z.array(comparedSchema.extend({ key: z.string().nullable() }));
const comparisonSchema = z.object({
  currency: z.string().nullable(),
  providerCurrency: z.string().nullable(),
  categories: keyedSchema,
  types: keyedSchema,
  total: comparedSchema,
  difference: z.object({ volumePercent: z.number(), costPercent: z.number().nullable() }),
});

type Compared = z.infer<typeof comparedSchema>;

async function showComparison(
  { api, print, wantsJson }: UsageCommandContext,
  instance: string,
  month: string,
): Promise<void> {
  const path = `instances/${encodeURIComponent(instance)}/usage/provider`;
  const answer = await api.call("GET", `${path}?${new URLSearchParams({ month })}`);
  const { success, data } = comparisonSchema.safeParse(answer);
  if (!success) throw new AdminApiError(unexpectedResponse);
  const { categories, types, total, currency, providerCurrency, difference } = data;
  if (wantsJson()) print(`${toVisibleJson(answer, 2)}\n`);
  else {
    const rows = (name: string, list: readonly (Compared & { key: string | null })[]) =>
      list.map(({ key, ...row }) => toRow(`${name} ${key ?? "(none)"}`, row));
    const table = [...rows("category", categories), ...rows("type", types), toRow("total", total)];
    print(`${formatTable(table, columns)}\n`);
    const { volumePercent, costPercent } = difference;
    const cost = costPercent === null ? "" : `, ${costPercent} % of the cost (${currency})`;
    print(`Difference: ${volumePercent} % of the messages${cost}.\n`);
  }
  refuseDifference(difference, currency, providerCurrency);
}

const columns = [
  ...["of", "delivered", "provider", "difference", "unknown"],
  ...["estimatedCost", "providerCost", "costDifference"],
];

function toRow(of: string, row: Compared): Readonly<Record<string, unknown>> {
  const { delivered, providerVolume, estimatedCost, unknown, providerCost } = row;
  return {
    ...{ of, delivered, provider: providerVolume, difference: delivered - providerVolume, unknown },
    ...{ estimatedCost, providerCost },
    costDifference: addDecimals([estimatedCost, negateDecimal(providerCost)]),
  };
}

/** @throws {AdminApiError} where the sums do not agree, or cannot be compared. */
function refuseDifference(
  { volumePercent, costPercent }: z.infer<typeof comparisonSchema>["difference"],
  currency: string | null,
  providerCurrency: string | null,
): void {
  if (costPercent === null) {
    throw new AdminApiError(
      currency === null
        ? "The amounts cannot be compared: the workspace has no rates (deno task admin rates)."
        : `The amounts cannot be compared: the rates are in ${currency}, the account in ${providerCurrency}.`,
    );
  }
  if (Math.max(volumePercent, costPercent) > toleratedPercent) {
    throw new AdminApiError(`The sums differ by more than ${toleratedPercent} %.`);
  }
}
