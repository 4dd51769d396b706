import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/idempotency/stored_response.ts";
import { callRecorded, type Recorded } from "../../shared/idempotency/recorded_call.ts";
import type { SaveContactRequest } from "./contract.ts";

export interface SavedContact {
  readonly action: "created" | "updated";
  readonly contactId: string;
  readonly fieldsUpdated: readonly string[];
  readonly tagsApplied: readonly string[];
}

/** Creates the contact of a phone or changes the fields that were sent; adds tags. */
export function saveContact(
  database: Database,
  instanceId: string,
  request: SaveContactRequest,
  idempotency: Idempotency | null,
): Promise<Recorded<SavedContact>> {
  const { instanceId: _reference, phone, tags, ...fields } = request;
  return callRecorded(database, "save_contact", { instanceId, phone, fields, tags, idempotency });
}
