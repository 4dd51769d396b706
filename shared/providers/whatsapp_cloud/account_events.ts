/**
 * What the official channel decides about an account or a number, in Cloud API webhooks (fields
 * `account_update`, `phone_number_quality_update`).
 */
import {
  readEnd,
  readIsoTime,
  readLabel,
  readList,
  readNumericId,
  readTime,
} from "../webhooks/fields.ts";
import { readText, readValue } from "../../model/json_value.ts";
import type { ConnectionEvent, LimitEvent } from "../webhooks/provider_event.ts";

/** Restrictions that stop no message. */
const harmless = new Set(["RESTRICTED_ADD_PHONE_NUMBER_ACTION"]);

/** Events after which the account sends nothing, or sends again. */
const states: Readonly<Record<string, ConnectionEvent["state"]>> = {
  ACCOUNT_DELETED: "disconnected",
  ACCOUNT_OFFBOARDED: "disconnected",
  PARTNER_REMOVED: "disconnected",
  ACCOUNT_RECONNECTED: "connected",
};

const banStates: Readonly<Record<string, ConnectionEvent["state"]>> = {
  DISABLE: "disconnected",
  REINSTATE: "connected",
};

/**
 * Reads a ban, a restriction or its end, and what announces them: a violation, a planned ban. Nothing
 * for any other news of an account.
 */
export function readAccountUpdate(
  value: unknown,
  entry: unknown,
): (ConnectionEvent | LimitEvent)[] {
  const event = readLabel(value, "event") ?? "";
  const at = readTime(entry, "s", "time") ?? readTime(entry, "ms", "time");
  const phone = readNumericId(value, "phone_number");
  const become = (state: ConnectionEvent["state"], reason: string, until?: string) => [{
    ...{ kind: "connection", state, at, phone } as const,
    ...(state === "connected" ? {} : { reason, until }),
  }];
  if (event === "ACCOUNT_RESTRICTION") return readRestrictions(value, become);
  if (event === "ACCOUNT_VIOLATION") return [readViolation(value, at)];
  if (event === "VOLUME_BASED_PRICING_TIER_UPDATE") return [readVolumeTier(value, at)];
  if (event === "DISABLED_UPDATE") return readBan(value, at, become);
  const state = Object.hasOwn(states, event) ? states[event] : undefined;
  return state === undefined ? [] : become(state, withDetail(event, readDetail(value)));
}

/** Why an account left or was violated: the member is named by the event. */
function readDetail(value: unknown): string | undefined {
  const details = ["disconnection_info", "offboarding_info", "partner_removed_info"];
  return details.map((member) => readLabel(value, member, "reason")).find((word) => word) ??
    readLabel(value, "reason");
}

function withDetail(event: string, detail: string | undefined): string {
  return detail === undefined ? event : `${event}: ${detail}`;
}

function readViolation(value: unknown, at: string | undefined): LimitEvent {
  const type = readLabel(value, "violation_info", "violation_type");
  return { kind: "limit", change: withDetail("ACCOUNT_VIOLATION", type), at };
}

/** The account pays less a message from a month on: which category, where, from how many on. */
function readVolumeTier(value: unknown, at: string | undefined): LimitEvent {
  const info = readValue(value, "volume_tier_info");
  const words = ["pricing_category", "region", "tier"].map((member) => readLabel(info, member))
    .filter((word) => word !== undefined);
  const change = withDetail("VOLUME_BASED_PRICING_TIER_UPDATE", words.join(", ") || undefined);
  const month = readLabel(info, "effective_month");
  return {
    kind: "limit",
    change,
    at,
    effectiveAt: month === undefined ? undefined : readEnd(month),
  };
}

function readBan(
  value: unknown,
  at: string | undefined,
  become: (state: ConnectionEvent["state"], reason: string) => ConnectionEvent[],
): (ConnectionEvent | LimitEvent)[] {
  const word = readLabel(value, "ban_info", "waba_ban_state") ?? "";
  if (word === "SCHEDULE_FOR_DISABLE") {
    const effectiveAt = readEnd(readValue(value, "ban_info", "waba_ban_date"));
    return [{ kind: "limit", change: word, at, effectiveAt }];
  }
  const state = Object.hasOwn(banStates, word) ? banStates[word] : undefined;
  return state === undefined ? [] : become(state, word);
}

/** All restrictions that stop messages; they end together, with the last of them. */
function readRestrictions(
  value: unknown,
  become: (state: "disconnected", reason: string, until?: string) => ConnectionEvent[],
): ConnectionEvent[] {
  const restrictions = readList(value, "restriction_info").filter((item) =>
    !harmless.has(readText(item, "restriction_type") ?? "")
  );
  if (restrictions.length === 0) return [];
  const ends = restrictions.map((item) => {
    return readEnd(readValue(item, "expiration"));
  });
  const until = ends.every((end) => end !== undefined) ? ends.sort().at(-1) : undefined;
  const reason = readLabel(restrictions[0], "restriction_type") ?? "ACCOUNT_RESTRICTION";
  return become("disconnected", reason, until);
}

/** The fields that tell how many people may be written to: by number, and by account. */
export const limitFields: ReadonlySet<string> = new Set([
  "phone_number_quality_update",
  "business_capability_update",
]);

/** The numbers that notices of an account write in place of a tier's name. */
const tiers: Readonly<Record<string, string>> = {
  250: "TIER_250",
  2000: "TIER_2K",
  10000: "TIER_10K",
  100000: "TIER_100K",
  "-1": "TIER_UNLIMITED",
};

function readTier(value: unknown, member: string): string | undefined {
  const told = readValue(value, member);
  const word = typeof told === "number" ? String(told) : readLabel(value, member);
  if (word === undefined) return undefined;
  return Object.hasOwn(tiers, word) ? tiers[word] : /^\d+$/.test(word) ? `TIER_${word}` : word;
}

/** Reads a changed limit of a number, or of all numbers of an account. */
export function readLimitChange(field: string, value: unknown, entry: unknown): LimitEvent[] {
  const isOfAccount = field === "business_capability_update";
  const change = isOfAccount ? undefined : readLabel(value, "event");
  const limit = readTier(value, "max_daily_conversations_per_business") ??
    readTier(value, isOfAccount ? "max_daily_conversation_per_phone" : "current_limit");
  if (change === undefined && limit === undefined) return [];
  return [{
    kind: "limit",
    phone: readLabel(value, "display_phone_number"),
    change: change ?? "CHANGED",
    limit,
    allowance: change === "THROUGHPUT_UPGRADE" ? { throughput: "HIGH" } : undefined,
    at: readTime(entry, "s", "time") ?? readIsoTime(entry, "time"),
  }];
}
