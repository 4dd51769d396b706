import type {
  ChangedTags,
  Consent,
  ContactConsent,
  ContactRecord,
  DeletedContact,
  SavedContact,
} from "../../model/contact_record.ts";
import type { Recipient } from "../../model/request_fields.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface ContactsRpcs {
  save_contact: Rpc<SaveContactRequest, RecordedResult<SavedContact>>;
  block_contact: Rpc<BlockContactRequest, BlockedContact>;
  change_contact_tags: Rpc<ChangeTagsRequest, RecordedResult<ChangedTags>>;
  set_contact_consent: Rpc<SetConsentRequest, RecordedResult<ContactConsent>>;
  merge_contact: Rpc<MergeContactRequest, RecordedResult<{ readonly contactId: string }>>;
  update_people: Rpc<
    { readonly maxPersons: number; readonly maxContacts: number },
    { readonly isComplete: boolean }
  >;
  run_merges: Rpc<{ readonly maxRows: number }, { readonly isComplete: boolean }>;
  get_contact: Rpc<{ readonly instanceId: string; readonly contactId: string }, ContactRecord>;
  admit_mcp_send: Rpc<AdmitMcpSendRequest, AdmittedMcpSend>;
  list_contacts: Rpc<ListContactsRequest, Page<ContactRecord | DeletedContact>>;
}

export interface AdmitMcpSendRequest extends ContactTarget {
  readonly tokenId: string;
  /** Of the tool, its intent and the recipient: a repeated call counts once. */
  readonly callKey: string;
}

/** Whether a send by a tool may go. */
export interface AdmittedMcpSend {
  readonly refusal: "recipient_not_known" | "hourly_limit" | null;
  readonly retryAfterSeconds: number | null;
}

/**
 * A contact of an instance, by exactly one of a phone in any spelling, its id and its user id; see
 * `resolve_recipient`.
 */
export interface ContactTarget extends Recipient {
  readonly instanceId: string;
}

export type SaveContactRequest = Once<
  ContactTarget & {
    /** Named as in the request. Null clears a field; an absent field keeps its value. */
    readonly fields: Readonly<Record<string, unknown>>;
    readonly tags?: readonly string[] | undefined;
  }
>;

export type ChangeTagsRequest = Once<
  ContactTarget & {
    readonly addTags?: readonly string[] | undefined;
    readonly removeTags?: readonly string[] | undefined;
  }
>;

/** A contact, named by one of phone, contactId and userId, and what it has said. */
export type SetConsentRequest = Once<{
  readonly instanceId: string;
  readonly phone?: string | undefined;
  readonly contactId?: string | undefined;
  readonly userId?: string | undefined;
  readonly marketing: Consent["marketing"];
  readonly source: string;
  readonly evidence?: string | Readonly<Record<string, unknown>> | null | undefined;
}>;

/** Two contacts that are one person; the second survives. */
export type MergeContactRequest = Once<{
  readonly instanceId: string;
  readonly contactId: string;
  readonly intoContactId: string;
}>;

/** Filters combine. `assignedTo` is an operator's UUID or e-mail, `updatedSince` an instant, inclusive. */
export type ListContactsRequest = PageRequest<{
  readonly instanceId: string;
  readonly phone?: string | undefined;
  readonly contactId?: string | undefined;
  readonly userId?: string | undefined;
  readonly tag?: string | undefined;
  readonly q?: string | undefined;
  readonly assignedTo?: string | undefined;
  readonly consent?: Consent["marketing"] | undefined;
  /** Whether an ad or post brought the contact. */
  readonly referral?: boolean | undefined;
  readonly updatedSince?: string | undefined;
}>;

export interface BlockContactRequest extends ContactTarget {
  readonly isBlocked: boolean;
}

export interface BlockedContact {
  readonly contactId: string;
  /** Where the channel knows the person; null where it has no address. */
  readonly to: string | null;
}
