import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import { callRecorded, type Recorded } from "../../shared/idempotency/recorded_call.ts";
import type { SavedContact } from "../../shared/model/contact_record.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import type { SaveContactRequest } from "./contract.ts";

/** Creates the contact that is named, or changes the given fields of an existing one. Adds tags. */
export function saveContact(
  database: Database,
  instanceId: string,
  request: SaveContactRequest,
  idempotency: Idempotency | null,
): Promise<Recorded<SavedContact>> {
  const { instanceId: _reference, phone, contactId, userId, tags, ...fields } = request;
  return callRecorded(database, "save_contact", {
    instanceId,
    ...readRecipient({ phone, contactId, userId }),
    fields,
    tags,
    idempotency,
  });
}
