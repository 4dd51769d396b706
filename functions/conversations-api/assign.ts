import type { Database } from "../../shared/database/database.ts";
import type { ContactTarget } from "../../shared/database/rpcs/contacts.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { AssignmentOutcome } from "../../shared/model/response_fields.ts";
import { acceptMessage } from "../../shared/messages/accept.ts";
import type { AcceptedOutcome, AssignmentRequest } from "../../shared/database/rpcs/messages.ts";
import { type Recorded, toRecorded } from "../../shared/idempotency/recorded_call.ts";
import { describeAssignment } from "../../shared/messages/response.ts";

/** A valid call. */
export interface AssignCall extends ContactTarget {
  readonly assignment: AssignmentRequest;
  readonly idempotency: Idempotency | null;
}

/**
 * Assigns the contact's conversation (specification, section 3) with the same transaction as
 * send-message's `assignTo`. The dispatcher sends the e-mail to a new operator.
 */
export async function assignConversation(
  database: Database,
  call: AssignCall,
): Promise<Recorded<AssignmentOutcome>> {
  const accepted = await acceptMessage(database, { ...call, draft: null, delivery: null });
  if ("attempted" in accepted) throw new Error("an assignment has no message to attempt again");
  const { outcome: { assignment }, isReplay } = toRecorded<AcceptedOutcome>(accepted);
  if (assignment === null) throw new Error("an assignment was asked for and none was recorded");
  return { outcome: describeAssignment(assignment), isReplay };
}
