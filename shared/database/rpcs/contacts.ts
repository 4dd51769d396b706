import type { Recipient } from "../../model/request_fields.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Rpc } from "./rpc.ts";

export interface ContactsRpcs {
  save_contact: Rpc<SaveContactRequest, RecordedResult<SavedContact>>;
  change_contact_tags: Rpc<ChangeTagsRequest, RecordedResult<ChangedTags>>;
  set_contact_consent: Rpc<SetConsentRequest, RecordedResult<ContactConsent>>;
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
