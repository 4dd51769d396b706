import type { Command } from "commander";
import * as z from "zod";
import { toVisibleJson } from "../../shared/model/visible_text.ts";
import { type AdminApi, AdminApiError, unexpectedResponse } from "./admin_api.ts";
import {
  compareRates,
  RateFileError,
  type RateRow,
  readRateFile,
  toRateTable,
} from "./rate_file.ts";
import { formatRecord, formatTable } from "./table.ts";

/** What the commands need of the program. */
export interface RateCommandContext {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  readonly wantsJson: () => boolean;
  readonly readFile: (path: string) => Promise<string>;
}

const columns = ["market", "callingCodes", "category", "amount", "currency", "effectiveFrom"];

/** Adds `rates`: to read a workspace's rates, and to replace them by those of a file. */
export function addRates(context: RateCommandContext, program: Command): void {
  const { api, print, wantsJson } = context;
  const command = program.command("rates")
    .description("rates by which a workspace's costs are estimated (docs/cost.md)")
    .addHelpText(
      "after",
      "\nExample:\n  deno task admin rates import rates.csv --workspace <id> --dry-run",
    );

  command.command("import <file>")
    .description(`replace the rates by those of a file of comma-separated ${columns.join(",")}`)
    .requiredOption("--workspace <id>", "the workspace")
    .option("--dry-run", "show what would be other, and change nothing")
    .action(async (file: string, { workspace, dryRun = false }: Options) => {
      const rows = await readRows(context, file);
      const former = await readStored(api, String(workspace));
      const answer = await api.call("PUT", "rates", {
        ...{ workspaceId: workspace, ...toRateTable(rows), dryRun },
      });
      if (wantsJson()) return print(`${toVisibleJson(answer, 2)}\n`);
      const difference = compareRates(former, rows);
      print(`${[...difference, formatRecord(answer)].join("\n")}\n`);
    });

  command.command("list").description("list a workspace's rates")
    .requiredOption("--workspace <id>", "the workspace")
    .action(async ({ workspace }: Options) => {
      const rows = await readStored(api, String(workspace));
      const text = wantsJson() ? toVisibleJson({ items: rows }, 2) : formatTable(rows, columns);
      print(`${text}\n`);
    });
}

type Options = Readonly<Record<string, unknown>>;

async function readRows(
  { readFile }: RateCommandContext,
  file: string,
): Promise<readonly RateRow[]> {
  try {
    return readRateFile(await readFile(file));
  } catch (error) {
    if (!(error instanceof RateFileError)) throw error;
    throw new AdminApiError(error.message);
  }
}

const storedSchema = z.object({
  currency: z.string().nullable(),
  markets: z.array(z.object({ name: z.string(), callingCodes: z.array(z.string()) })),
  rates: z.array(z.object({
    market: z.string(),
    category: z.string(),
    amount: z.string(),
    effectiveFrom: z.string(),
  })),
});

async function readStored(api: AdminApi, workspaceId: string): Promise<readonly RateRow[]> {
  const answer = await api.call("GET", `rates?${new URLSearchParams({ workspaceId })}`);
  const { success, data } = storedSchema.safeParse(answer);
  if (!success) throw new AdminApiError(unexpectedResponse);
  const codes = new Map(
    data.markets.map(({ name, callingCodes }) => [name, callingCodes.join(" ")]),
  );
  return data.rates.map((rate) => ({
    ...rate,
    callingCodes: codes.get(rate.market) ?? "",
    currency: data.currency ?? "",
  }));
}
