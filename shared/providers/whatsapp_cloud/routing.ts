/**
 * Splits a Cloud API webhook by phone number. Meta has one address per app, unless
 * `override_callback_uri` gives a number or an account its own (page Webhook overrides: the
 * number's `webhook_configuration`). So the address of one number may receive the events of
 * several.
 */
import { readList, readNumericId } from "../webhooks/fields.ts";
import type { DeliveryPart } from "../webhooks/webhook.ts";
import { templateFields } from "./template_events.ts";
import { readId, readText } from "../../model/json_value.ts";

/** One change with its entry (the business account). */
interface Change {
  readonly entry: unknown;
  readonly change: unknown;
}

/** The changes of a payload that concern one number or one business account. */
interface CloudPart extends DeliveryPart {
  readonly changes: readonly Change[];
}

type Group = Omit<CloudPart, "templateIds" | "concernsAccount">;

/** The number that a change is about; undefined for one of the account. A handover names it as its recipient. */
export function readPhoneNumberId(change: unknown): string | undefined {
  return ["metadata", "recipient"].map((place) => {
    const path = ["value", place, "phone_number_id"];
    return readNumericId(change, ...path) ?? readId(change, ...path);
  }).find((id) => id !== undefined);
}

/** Groups the payload's changes by number or account, in its order. Never throws. */
export function splitByNumber(payload: unknown): readonly CloudPart[] {
  const groups = new Map<string, Group & { readonly changes: Change[] }>();
  for (const entry of readList(payload, "entry")) {
    const accountId = readNumericId(entry, "id");
    for (const change of readList(entry, "changes")) {
      const number = readPhoneNumberId(change) ?? null;
      const key = number === null ? `account ${accountId}` : `number ${number}`;
      const group = groups.get(key) ?? { gatewayInstanceId: number, accountId, changes: [] };
      groups.set(key, group);
      group.changes.push({ entry, change });
    }
  }
  return [...groups.values()].map((group) => ({
    ...group,
    templateIds: listTemplateIds(group),
    concernsAccount: concernsAccount(group),
  }));
}

/** The payload reduced to these parts. */
export function joinParts(payload: unknown, parts: readonly CloudPart[]): Record<string, unknown> {
  const changesByEntry = new Map<unknown, unknown[]>();
  for (const { entry, change } of parts.flatMap(({ changes }) => changes)) {
    const changes = changesByEntry.get(entry) ?? [];
    changes.push(change);
    changesByEntry.set(entry, changes);
  }
  const entry = [...changesByEntry].map(([one, changes]) => ({ ...(one as object), changes }));
  return { ...(payload as object), entry };
}

/** The ids of the templates that a business account's changes are about. */
function listTemplateIds(
  { gatewayInstanceId, changes }: Group,
): readonly string[] {
  if (gatewayInstanceId !== null) return [];
  return changes
    .filter(({ change }) => templateFields.has(readText(change, "field") ?? ""))
    .map(({ change }) => readNumericId(change, "value", "message_template_id"))
    .filter((id) => id !== undefined);
}

const accountFields = new Set([
  ...[
    "account_update",
    "business_capability_update",
    "phone_number_quality_update",
    "phone_number_name_update",
  ],
  ...["business_username_updates", "business_username_update"],
]);

/** Whether a business account's changes are about the account, or name a number in words alone. */
function concernsAccount({ gatewayInstanceId, changes }: Group): boolean {
  return gatewayInstanceId === null &&
    changes.some(({ change }) => accountFields.has(readText(change, "field") ?? ""));
}
