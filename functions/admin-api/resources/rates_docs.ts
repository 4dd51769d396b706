import { demoWorkspaceId } from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import {
  getRatesSchema,
  ratesResponseSchema,
  replaceRatesResponseSchema,
  replaceRatesSchema,
} from "./rates.ts";
import { adminOperation } from "./resource_docs.ts";

const fields = {
  workspaceId: "The workspace whose costs are estimated by these rates.",
  currency: "Currency of all amounts; null while there are no rates.",
  markets: "Which phones each rate is for.",
  "markets.name": "Name of the market, as the rates spell it.",
  "markets.callingCodes":
    "First digits of the phones of the market: the longest one of a phone wins. None: all phones that no other market has.",
  rates: "What one delivered message costs.",
  "rates.market": "Name of a market.",
  "rates.category":
    "Category as the channel bills it: `marketing`, `utility`, `authentication`, `service`.",
  "rates.amount": "Decimal text of the currency's unit, with at most ten decimals.",
  "rates.effectiveFrom":
    "From midnight of this day in UTC, until the next rate of the market and category.",
  dryRun: "Count the differences, and change nothing.",
  added: "Number of rates that the workspace did not have.",
  removed: "Number of rates that it has no more.",
  changed: "Number of rates whose amount, currency or calling codes are others.",
};

const table = {
  workspaceId: demoWorkspaceId,
  currency: "USD",
  markets: [{ name: "Brazil", callingCodes: ["55"] }, { name: "Other", callingCodes: [] }],
  rates: [
    { market: "Brazil", category: "marketing", amount: "0.02", effectiveFrom: "2026-10-01" },
    { market: "Brazil", category: "service", amount: "0.003", effectiveFrom: "2026-10-01" },
    { market: "Other", category: "service", amount: "0.01", effectiveFrom: "2026-10-01" },
  ],
};

/** Reads and replaces the rates by which costs are estimated. */
export const rateOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "PUT",
    path: "/rates",
    operationId: "replaceRates",
    summary: "Replace the rates of a workspace",
    description:
      "Makes the workspace's rates what the body says, earlier days included. The service ships no rates: they are those of your account's rate card. A message is estimated once, when its delivery is told; a later table changes no earlier estimate.",
    body: replaceRatesSchema,
    maxBodyKiB: 1024,
    success: {
      status: 201,
      description: "How the rates differ from the former ones.",
      schema: replaceRatesResponseSchema,
    },
    otherSuccess: {
      description: "With `dryRun`: how they would differ.",
      schema: replaceRatesResponseSchema,
    },
    errors: ["service_unavailable", "workspace_not_found"],
    fields,
    examples: [{
      name: "two_markets",
      summary: "Invented rates of two markets",
      request: table,
      response: { success: true, added: 3, removed: 0, changed: 0 },
    }],
  },
  {
    ...adminOperation,
    method: "GET",
    path: "/rates",
    operationId: "getRates",
    summary: "Read the rates of a workspace",
    description: "The whole table, sorted by market, category and day.",
    query: getRatesSchema,
    success: { description: "The rates.", schema: ratesResponseSchema },
    errors: ["service_unavailable", "workspace_not_found"],
    fields,
    examples: [{
      name: "two_markets",
      summary: "Invented rates of two markets",
      request: { workspaceId: demoWorkspaceId },
      response: { success: true, ...table },
    }],
  },
];
