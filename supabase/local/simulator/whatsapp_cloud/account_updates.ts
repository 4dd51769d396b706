/** What Meta decides about an account or a number (pages account_update, phone_number_quality_update). */
import * as z from "zod";
import { composeAccountNews } from "./events.ts";

const instance = z.string().min(1);
const reason = z.string().min(1).max(200);

/** Limits of unique customers a day, from the smallest. */
const limitSchema = z.enum(["TIER_250", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED"]);

/** A decision, by the word that Meta has for it. */
export const accountUpdateSchema = z.discriminatedUnion("event", [
  z.object({ instance, event: z.literal("ACCOUNT_VIOLATION"), reason: reason.default("SCAM") }),
  z.object({
    instance,
    event: z.literal("ACCOUNT_RESTRICTION"),
    reason: reason.default("RESTRICTED_BIZ_INITIATED_MESSAGING"),
    /** The restriction's end; without it, it has none. */
    until: z.iso.datetime({ offset: true }).optional(),
  }),
  z.object({ instance, event: z.literal("SCHEDULE_FOR_DISABLE"), date: z.iso.date() }),
  z.object({
    instance,
    event: z.literal("ACCOUNT_OFFBOARDED"),
    reason: reason.default("CHANGE_NUMBER"),
  }),
  z.object({ instance, event: z.literal("ACCOUNT_RECONNECTED") }),
  z.object({
    instance,
    event: z.enum(["UPGRADE", "DOWNGRADE", "FLAGGED", "UNFLAGGED"]),
    limit: limitSchema,
  }),
]);

type AccountUpdate = z.infer<typeof accountUpdateSchema>;

/** Whether the account sends nothing from now on, or sends again; null where that stays as it is. */
export function readConnectionState(
  { event }: AccountUpdate,
): "connected" | "disconnected" | null {
  if (event === "ACCOUNT_RECONNECTED") return "connected";
  return event === "ACCOUNT_RESTRICTION" || event === "ACCOUNT_OFFBOARDED" ? "disconnected" : null;
}

/** The webhook event by which Meta tells the decision. */
export function composeAccountUpdate(update: AccountUpdate, at: string): Record<string, unknown> {
  const { event } = update;
  switch (event) {
    case "ACCOUNT_VIOLATION":
      return news(at, { event, violation_info: { violation_type: update.reason } });
    case "ACCOUNT_RESTRICTION":
      return news(at, { event, restriction_info: [describeRestriction(update)] });
    case "SCHEDULE_FOR_DISABLE":
      return news(at, {
        event: "DISABLED_UPDATE",
        ban_info: { waba_ban_state: event, waba_ban_date: update.date },
      });
    case "ACCOUNT_OFFBOARDED":
      return news(at, { event, disconnection_info: { reason: update.reason } });
    case "ACCOUNT_RECONNECTED":
      return news(at, { event });
    default:
      return composeAccountNews("phone_number_quality_update", at, {
        event,
        current_limit: update.limit,
      });
  }
}

function news(at: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return composeAccountNews("account_update", at, value);
}

interface CloudRestriction {
  readonly restriction_type: string;
  /** Unix seconds. */
  readonly expiration?: string;
}

function describeRestriction(
  { reason, until }: { readonly reason: string; readonly until?: string | undefined },
): CloudRestriction {
  return {
    restriction_type: reason,
    ...(until === undefined ? {} : { expiration: String(Math.floor(Date.parse(until) / 1_000)) }),
  };
}
