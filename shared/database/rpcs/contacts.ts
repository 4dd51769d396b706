import type { Once, RecordedResult } from "./idempotency.ts";
import type { Rpc } from "./rpc.ts";

export interface ContactsRpcs {
  save_contact: Rpc<SaveContactRequest, RecordedResult<SavedContact>>;
  change_contact_tags: Rpc<ChangeTagsRequest, RecordedResult<ChangedTags>>;
}

/** A contact of an instance, identified by a phone in any spelling. */
export interface ContactTarget {
  readonly instanceId: string;
  readonly phone: string;
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
