/** What contacts set about marketing messages, in Cloud API webhooks (field `user_preferences`). */
import { readTime } from "../webhooks/fields.ts";
import { readId, readText } from "../../model/json_value.ts";
import type { PreferenceEvent } from "../webhooks/provider_event.ts";
import type { CloudContacts } from "./contacts.ts";

const consents: Readonly<Record<string, PreferenceEvent["marketing"]>> = {
  stop: "denied",
  resume: "granted",
  // In-App Signup: the person asked for marketing.
  signup: "granted",
};

/** Reads one preference; undefined for any category but marketing messages. */
export function readCloudPreference(
  item: unknown,
  contacts: CloudContacts,
): PreferenceEvent | undefined {
  const value = readText(item, "value") ?? "";
  const marketing = Object.hasOwn(consents, value) ? consents[value] : undefined;
  const addresses = contacts.findAddresses([readId(item, "wa_id"), readId(item, "user_id")]);
  const isMarketing = readText(item, "category") === "marketing_messages";
  if (!isMarketing || marketing === undefined || addresses === undefined) return undefined;
  return { kind: "preference", ...addresses, marketing, at: readTime(item, "s", "timestamp") };
}
