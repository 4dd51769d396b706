import { demoInstanceId, demoOfficialInstanceId } from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { usageFields } from "../../../shared/openapi/usage_fields.ts";
import { usageResponseSchema } from "../../../shared/http/usage_query.ts";
import { adminOperation } from "./resource_docs.ts";
import { instanceUsageSchema, providerUsageResponseSchema, providerUsageSchema } from "./usage.ts";

const sums = {
  key: "The category or the type, in lower case; null for messages without one.",
  delivered: "Messages that were delivered, by our sums.",
  providerVolume: "The same as the provider counts it.",
  estimatedCost: "What they cost by the workspace's rates, as decimal text.",
  unknown: "Delivered ones without a rate, which `estimatedCost` leaves out.",
  providerCost: "What they cost by the provider's words, which calls its amounts approximate.",
};

const within = (part: string, without: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sums).filter(([name]) => !without.includes(name))
      .map(([name, meaning]) => [`${part}.${name}`, meaning]),
  );

const service = {
  ...{ delivered: 4090, providerVolume: 4090, estimatedCost: "9.27", unknown: 0 },
  providerCost: "9.27",
};
const marketing = {
  ...{ delivered: 870, providerVolume: 874, estimatedCost: "17.4", unknown: 0 },
  providerCost: "17.48",
};
const total = {
  ...{ delivered: 4960, providerVolume: 4964, estimatedCost: "26.67", unknown: 0 },
  providerCost: "26.75",
};

/** What an instance's messages have cost, by our sums and by the provider's. */
export const usageOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "GET",
    path: "/instances/:id/usage",
    operationId: "getInstanceUsage",
    summary: "Sum up an instance's messages and their cost",
    description: "As `messages-api/usage`, for any instance.",
    pathParameters: {
      id: { description: "`instanceId` of the instance.", example: demoInstanceId },
    },
    query: instanceUsageSchema,
    success: { description: "A page of sums.", schema: usageResponseSchema },
    errors: ["service_unavailable", "Instance not found"],
    fields: usageFields,
    examples: [{
      name: "by_category",
      summary: "November by category, at invented rates",
      request: { from: "2026-11-01", to: "2026-11-30", groupBy: "category" },
      response: {
        success: true,
        currency: "USD",
        items: [{
          ...{ key: "service", sent: 4100, delivered: 4090, free: 1000 },
          ...{ estimatedCost: "9.27", unknown: 0 },
        }],
        nextCursor: null,
      },
    }],
  },
  {
    ...adminOperation,
    method: "GET",
    path: "/instances/:id/usage/provider",
    operationId: "compareUsageWithProvider",
    summary: "Compare a month's sums with what the provider bills",
    description:
      "Reads Meta's `pricing_analytics` of the instance's number, for the month in the instance's time zone, and answers our sums beside them. Requires a `wabaId` in the instance's configuration, and an `accessToken` with the permission `whatsapp_business_management`. Meta keeps a year, and calls its amounts approximate; the invoice alone is binding.",
    pathParameters: {
      id: { description: "`instanceId` of the instance.", example: demoOfficialInstanceId },
    },
    query: providerUsageSchema,
    success: { description: "Both sums.", schema: providerUsageResponseSchema },
    errors: [
      "service_unavailable",
      "Instance not found",
      "provider_usage_not_available",
      "provider_usage_failed",
    ],
    fields: {
      month: "The month, `YYYY-MM`, in the instance's time zone.",
      currency: "Currency of the workspace's rates; null without rates.",
      providerCurrency: "Currency of the account at the provider; null where it does not tell.",
      categories: "By category.",
      ...within("categories"),
      types: "By type of pricing.",
      ...within("types"),
      total: "All together.",
      ...within("total", ["key"]),
      difference: "How far the two are apart.",
      "difference.volumePercent":
        "The differences of all categories together, in percent of what the provider counts.",
      "difference.costPercent":
        "The same of the amounts; null where they cannot be compared: without rates, or in two currencies.",
    },
    examples: [{
      name: "one_month",
      summary: "November at invented rates",
      request: { month: "2026-11" },
      response: {
        success: true,
        instanceId: demoOfficialInstanceId,
        month: "2026-11",
        currency: "USD",
        providerCurrency: "USD",
        categories: [{ key: "marketing", ...marketing }, { key: "service", ...service }],
        types: [{ key: "regular", ...total }],
        total,
        difference: { volumePercent: 0.08, costPercent: 0.3 },
      },
    }],
  },
];
