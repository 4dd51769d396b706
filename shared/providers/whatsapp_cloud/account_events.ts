/**
 * What the official channel decides about an account or a number, in Cloud API webhooks (fields
 * `account_update`, `phone_number_quality_update`).
 */
import { readIsoTime, readLabel, readList, readTime } from "../webhooks/fields.ts";
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

/** Reads a ban, a restriction or its end; nothing for any other news of an account. */
export function readAccountUpdate(value: unknown, entry: unknown): ConnectionEvent[] {
  const event = readLabel(value, "event") ?? "";
  const at = readTime(entry, "s", "time") ?? readTime(entry, "ms", "time");
  const become = (state: ConnectionEvent["state"], reason: string, until?: string) => [
    { kind: "connection", state, at, ...(state === "connected" ? {} : { reason, until }) } as const,
  ];
  if (event === "ACCOUNT_RESTRICTION") return readRestrictions(value, become);
  if (event === "DISABLED_UPDATE") {
    const word = readLabel(value, "ban_info", "waba_ban_state") ?? "";
    const state = Object.hasOwn(banStates, word) ? banStates[word] : undefined;
    return state === undefined ? [] : become(state, word);
  }
  const state = Object.hasOwn(states, event) ? states[event] : undefined;
  return state === undefined ? [] : become(state, event);
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
    const end = readValue(item, "expiration");
    return readEnd(typeof end === "number" ? end * 1_000 : end);
  });
  const until = ends.every((end) => end !== undefined) ? ends.sort().at(-1) : undefined;
  const reason = readLabel(restrictions[0], "restriction_type") ?? "ACCOUNT_RESTRICTION";
  return become("disconnected", reason, until);
}

/** An end lies ahead, unlike the instants that `readIsoTime` takes. */
function readEnd(value: unknown): string | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number(value);
  return ms > 0 && ms < Date.UTC(2100, 0, 1) ? new Date(ms).toISOString() : undefined;
}

/** Reads a changed limit of a number. */
export function readLimitChange(value: unknown, entry: unknown): LimitEvent[] {
  const change = readLabel(value, "event");
  const limit = readLabel(value, "max_daily_conversations_per_business") ??
    readLabel(value, "current_limit");
  if (change === undefined && limit === undefined) return [];
  return [{
    kind: "limit",
    phone: readText(value, "display_phone_number"),
    change: change ?? "CHANGED",
    limit,
    at: readTime(entry, "s", "time") ?? readIsoTime(entry, "time"),
  }];
}
