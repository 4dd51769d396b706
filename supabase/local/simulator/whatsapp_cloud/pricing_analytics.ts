/**
 * `GET /{version}/{WABA id}?fields=currency,pricing_analytics.start(…).end(…).granularity(…)` (Graph API
 * reference, WhatsApp Business Account). Every number of the simulator belongs to the account that is asked.
 */
import type { Context, Next } from "hono";
import { readBearerToken } from "../json_request.ts";
import { type Charge, toUnits } from "./billing.ts";
import type { CloudContext } from "./context.ts";
import { type GraphError, invalidToken, refuseGraph } from "./errors.ts";

const granularities = ["HALF_HOUR", "DAILY", "MONTHLY"] as const;
type Granularity = (typeof granularities)[number];

/** What a point names of its messages, where it is asked for. */
const dimensions: Readonly<Record<string, (charge: Charge) => Readonly<Record<string, string>>>> = {
  PHONE: ({ instance }) => ({ phone_number: instance }),
  COUNTRY: ({ country }) => ({ country }),
  // Meta does not say how it tells the month's free service messages: here they are REGULAR, and cost 0.
  PRICING_TYPE: ({ isFreeEntry }) => ({
    pricing_type: isFreeEntry ? "FREE_ENTRY_POINT" : "REGULAR",
  }),
  PRICING_CATEGORY: ({ category }) => ({ pricing_category: category.toUpperCase() }),
  TIER: ({ tier }) => ({ tier }),
};

interface Asked {
  readonly start: number;
  readonly end: number;
  readonly granularity: Granularity;
  readonly phones: readonly string[];
  readonly countries: readonly string[];
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
}

/** Answers what is asked of an account; leaves every other node to the next route. */
export async function tellAccount(
  simulator: CloudContext,
  context: Context,
  next: Next,
): Promise<Response | void> {
  const fields = context.req.query("fields") ?? "";
  if (!/(^|,)(currency|pricing_analytics)\b/.test(fields)) return await next();
  if (readBearerToken(context.req.raw) === undefined) return refuseGraph(invalidToken);
  const id = context.req.param("wabaId") ?? "";
  if (!/^\d+$/.test(id)) return refuseGraph(unknownAccount);
  const { billing } = simulator;
  const currency = /(^|,)currency\b/.test(fields) ? { currency: billing.prices.currency } : {};
  const call = /pricing_analytics((?:\.\w+\([^)]*\))+)/.exec(fields)?.[1];
  if (call === undefined) return Response.json({ ...currency, id });
  const asked = readCall(call);
  if ("status" in asked) return refuseGraph(asked);
  const points = listPoints(billing.charge(), asked);
  // Meta leaves the member out where there is nothing.
  const analytics = points.length === 0
    ? {}
    : { pricing_analytics: { data: [{ data_points: points }] } };
  return Response.json({ ...currency, ...analytics, id });
}

function readCall(call: string): Asked | GraphError {
  const given = new Map(
    [...call.matchAll(/\.(\w+)\(([^)]*)\)/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  const [start, end] = ["start", "end"].map((name) => Number(given.get(name) ?? Number.NaN));
  const granularity = granularities.find((name) => name === given.get("granularity"));
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return refuse("start, end");
  if (granularity === undefined) return refuse("granularity");
  const lists = ["phone_numbers", "country_codes", "metric_types", "dimensions"].map((name) =>
    readList(given.get(name))
  );
  const [phones, countries, metrics, named] = lists;
  if (!phones || !countries || !metrics || !named) return refuse("a list");
  const unknown = named.find((name) => dimensions[name] === undefined);
  if (unknown !== undefined) return refuse(`dimensions: ${unknown}`);
  return {
    ...{ start: Number(start), end: Number(end), granularity, phones, countries },
    ...{ metrics: metrics.length === 0 ? ["COST", "VOLUME"] : metrics, dimensions: named },
  };
}

function readList(text = "[]"): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}

function listPoints(charges: readonly Charge[], asked: Asked): Record<string, unknown>[] {
  const { start, end, phones, countries, granularity, metrics } = asked;
  const isAsked = ({ atMs, instance, country }: Charge): boolean =>
    atMs >= start * 1_000 && atMs < end * 1_000 &&
    (phones.length === 0 || phones.includes(instance)) &&
    (countries.length === 0 || countries.includes(country));
  const points = new Map<string, { names: object; volume: number; nanos: number }>();
  for (const charge of charges.filter(isAsked)) {
    const names = {
      ...spanOf(charge.atMs, granularity),
      ...Object.assign({}, ...asked.dimensions.map((name) => dimensions[name]?.(charge))),
    };
    const key = JSON.stringify(names);
    const point = points.get(key) ?? { names, volume: 0, nanos: 0 };
    point.volume += 1;
    point.nanos += charge.nanos;
    points.set(key, point);
  }
  return [...points.values()].map(({ names, volume, nanos }) => ({
    ...names,
    ...(metrics.includes("VOLUME") ? { volume } : {}),
    ...(metrics.includes("COST") ? { cost: toUnits(nanos) } : {}),
  }));
}

/** The part of UTC's calendar in which an instant lies, in Unix seconds. */
function spanOf(atMs: number, granularity: Granularity): { start: number; end: number } {
  const seconds = Math.floor(atMs / 1_000);
  if (granularity === "MONTHLY") {
    const at = new Date(atMs);
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return { start: Date.UTC(year, month) / 1_000, end: Date.UTC(year, month + 1) / 1_000 };
  }
  const length = granularity === "DAILY" ? 86_400 : 1_800;
  const start = seconds - seconds % length;
  return { start, end: start + length };
}

function refuse(parameter: string): GraphError {
  const details = `The parameter ${parameter} of pricing_analytics is missing or not valid.`;
  return { status: 400, code: 100, title: "Invalid parameter", details };
}

const unknownAccount: GraphError = {
  status: 400,
  code: 100,
  subcode: 33,
  title: "Unsupported get request.",
  details: "The object does not exist, or it does not support this operation.",
};
