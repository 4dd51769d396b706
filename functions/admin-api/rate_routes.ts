import type { Database } from "../../shared/database/database.ts";
import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import type { AdminContext } from "./http_exchange.ts";
import {
  checkRates,
  getRatesSchema,
  ratesResponseSchema,
  replaceRatesResponseSchema,
  replaceRatesSchema,
} from "./resources/rates.ts";

/** Largest table in bytes: 5,000 rates. */
export const maxRatesBytes = 1024 * 1024;

/** Routes to read and replace the rates by which a workspace's costs are estimated. */
export function createRateRoutes(database: Database): Route[] {
  const replace = async (context: AdminContext): Promise<Response> => {
    const body = await readJsonBody(context, maxRatesBytes);
    const { dryRun = false, ...table } = validateBody(
      context,
      replaceRatesSchema,
      body,
      checkRates,
    );
    const difference = await database.rpc("replace_rates", { ...table, dryRun });
    const answer = { success: true, ...difference } as const;
    return answerJson(context, replaceRatesResponseSchema, answer, dryRun ? 200 : 201);
  };

  const read = async (context: AdminContext): Promise<Response> => {
    const request = validate(getRatesSchema, context.req.query());
    const table = await database.rpc("get_rates", request);
    return answerJson(context, ratesResponseSchema, { success: true, ...table });
  };

  return [
    { method: "PUT", path: "/rates", handlers: [replace] },
    { method: "GET", path: "/rates", query: getRatesSchema, handlers: [read] },
  ];
}
