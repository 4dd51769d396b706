import type { Recipient } from "../../model/request_fields.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface ContactsRpcs {
  save_contact: Rpc<SaveContactRequest, RecordedResult<SavedContact>>;
  change_contact_tags: Rpc<ChangeTagsRequest, RecordedResult<ChangedTags>>;
  set_contact_consent: Rpc<SetConsentRequest, RecordedResult<ContactConsent>>;
  merge_contact: Rpc<MergeContactRequest, RecordedResult<{ readonly contactId: string }>>;
  run_merges: Rpc<{ readonly maxRows: number }, { readonly isComplete: boolean }>;
  get_contact: Rpc<{ readonly instanceId: string; readonly contactId: string }, ContactRecord>;
  list_contacts: Rpc<ListContactsRequest, Page<ContactRecord | DeletedContact>>;
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

export interface SavedContact {
  readonly action: "created" | "updated";
  readonly contactId: string;
  readonly fieldsUpdated: readonly string[];
  readonly tagsApplied: readonly string[];
}

export type ChangeTagsRequest = Once<
  ContactTarget & {
    readonly addTags?: readonly string[] | undefined;
    readonly removeTags?: readonly string[] | undefined;
  }
>;

export interface ChangedTags {
  readonly contactId: string;
  readonly tagsApplied: readonly string[];
  readonly tagsRemoved: readonly string[];
}

/** Whether a contact wants marketing messages. */
export interface Consent {
  readonly marketing: "granted" | "denied" | "unknown";
  readonly at: string | null;
  /** `api` or what the caller gave; `keyword`, `user_preferences` or `131050` from the channel. */
  readonly source: string | null;
}

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

export interface ContactConsent {
  readonly contactId: string;
  readonly consent: Consent;
}

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
  readonly consent?: "granted" | "denied" | "unknown" | undefined;
  readonly updatedSince?: string | undefined;
}>;

/** A contact, with instants in the instance's zone; see `describe_contacts`. */
export interface ContactRecord {
  readonly contactId: string;
  readonly phone: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  readonly jobTitle: string | null;
  readonly notes: string | null;
  readonly tags: string[];
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly customLabels: Record<string, unknown>;
  readonly isFavorite: boolean;
  readonly isArchived: boolean;
  readonly isBlocked: boolean;
  readonly origin: string;
  readonly consent: Consent;
  readonly identities: ContactIdentity[];
  /** The official channel's 24 hours; null on others. */
  readonly window: { readonly isOpen: boolean; readonly closesAt: string | null } | null;
  readonly aiAgentPausedUntil: string | null;
  readonly conversation: ContactConversation | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ContactIdentity {
  readonly kind: "phone" | "lid" | "user_id" | "parent_user_id" | "username";
  readonly value: string;
  readonly provenAt: string | null;
}

export interface ContactConversation {
  readonly conversationId: string;
  readonly status: "open" | "closed" | "pending";
  readonly assignedTo: string | null;
  readonly departmentId: string | null;
  readonly portfolio: boolean;
  readonly lastMessageAt: string | null;
}

/** The tombstone of a merged or erased contact. */
export interface DeletedContact {
  readonly contactId: string;
  readonly isDeleted: true;
  readonly mergedInto: string | null;
  readonly updatedAt: string;
}
