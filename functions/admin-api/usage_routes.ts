import { answerJson } from "../../shared/http/answer.ts";
import type { Route } from "../../shared/http/create_app.ts";
import { readPageUpTo } from "../../shared/http/page.ts";
import {
  checkUsagePeriod,
  usageEndSchema,
  usageResponseSchema,
} from "../../shared/http/usage_query.ts";
import { validate } from "../../shared/http/validate.ts";
import { compareUsage } from "./compare_usage.ts";
import type { AdminContext } from "./http_exchange.ts";
import { readInstance, requireInstanceId } from "./instance_reference.ts";
import {
  instanceUsageSchema,
  providerUsageResponseSchema,
  providerUsageSchema,
} from "./resources/usage.ts";
import type { TemplateSyncServices } from "./template_sync.ts";

/** What an instance's messages have cost by its rates, and by its provider. */
export function createUsageRoutes(services: TemplateSyncServices): Route[] {
  const { database } = services;
  const read = async (context: AdminContext): Promise<Response> => {
    const query = validate(instanceUsageSchema, context.req.query(), checkUsagePeriod);
    const reference = await requireInstanceId(context, database);
    const { instanceId } = await readInstance(database, reference);
    const page = await readPageUpTo(
      usageEndSchema,
      "usage",
      { ...query, instanceId },
      (request) => database.rpc("get_usage", request),
    );
    return answerJson(context, usageResponseSchema, { success: true, ...page });
  };

  const compare = async (context: AdminContext): Promise<Response> => {
    const { month } = validate(providerUsageSchema, context.req.query());
    const instanceId = await requireInstanceId(context, database);
    const comparison = await compareUsage(services, instanceId, month);
    return answerJson(context, providerUsageResponseSchema, {
      success: true,
      instanceId,
      month,
      ...comparison,
    });
  };

  return [
    {
      method: "GET",
      path: "/instances/:id/usage",
      query: instanceUsageSchema,
      handlers: [read],
    },
    {
      method: "GET",
      path: "/instances/:id/usage/provider",
      query: providerUsageSchema,
      handlers: [compare],
    },
  ];
}
