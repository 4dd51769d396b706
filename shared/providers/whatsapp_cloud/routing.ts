/**
 * Which number each part of a Cloud API webhook is about. Meta has one address per app (unless
 * `override_callback_uri` gives a number or an account its own, page Webhook overrides: the number's
 * `webhook_configuration`), so that the events of several numbers may come to the address of one.
 */
import { readList, readNumericId } from "../webhooks/fields.ts";
import { readText } from "../../model/json_value.ts";

/** One change with the entry (the business account) that it stands in. */
interface Change {
  readonly entry: unknown;
  readonly change: unknown;
}

/** Changes of a payload about one number or, where that is null, about one business account. */
export interface CloudPart {
  readonly phoneNumberId: string | null;
  readonly wabaId: string | undefined;
  readonly changes: readonly Change[];
}

/** The payload's changes by what they are about, in its order. Never throws. */
export function splitByNumber(payload: unknown): readonly CloudPart[] {
  const parts = new Map<string, CloudPart & { readonly changes: Change[] }>();
  for (const entry of readList(payload, "entry")) {
    const wabaId = readNumericId(entry, "id");
    for (const change of readList(entry, "changes")) {
      const phoneNumberId = readText(change, "value", "metadata", "phone_number_id") ?? null;
      const key = phoneNumberId === null ? `account ${wabaId}` : `number ${phoneNumberId}`;
      const part = parts.get(key) ?? { phoneNumberId, wabaId, changes: [] };
      parts.set(key, part);
      part.changes.push({ entry, change });
    }
  }
  return [...parts.values()];
}

/** The payload with these parts alone. */
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

/** The ids of the templates that a business account's changes decide on. */
export function listTemplateIds({ phoneNumberId, changes }: CloudPart): readonly string[] {
  if (phoneNumberId !== null) return [];
  return changes
    .filter(({ change }) => readText(change, "field") === "message_template_status_update")
    .map(({ change }) => readNumericId(change, "value", "message_template_id"))
    .filter((id) => id !== undefined);
}
