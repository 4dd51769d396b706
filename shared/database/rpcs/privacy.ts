import type { ContactRecord } from "../../model/contact_record.ts";
import type { Erasure } from "../../model/erasure_record.ts";
import type { ExportList } from "../../model/export_lists.ts";
import type { Rpc } from "./rpc.ts";

export interface PrivacyRpcs {
  erase_contact: Rpc<EraseContactRequest, Erasure | HashesNeeded>;
  erase_person: Rpc<ErasePersonRequest, PersonErasure | PersonHashesNeeded>;
  take_erasure_steps: Rpc<
    { readonly erasureId: string; readonly maxRows: number },
    { readonly isComplete: boolean }
  >;
  list_person_contacts: Rpc<
    { readonly instanceId: string; readonly contactId: string },
    { readonly contacts: readonly PersonContact[] }
  >;
  export_contact: Rpc<{ readonly instanceId: string; readonly contactId: string }, ExportHead>;
  export_contact_page: Rpc<ExportPageRequest, ExportPage>;
  get_erasure: Rpc<{ readonly instanceId: string; readonly erasureId: string }, Erasure>;
  keep_denial_key: Rpc<
    { readonly sealedKey: string | null; readonly formerKey?: string | undefined },
    { readonly sealedKey: string | null }
  >;
  run_erasures: Rpc<{ readonly maxRows: number }, { readonly isComplete: boolean }>;
}

/** What an export holds beside its lists. */
export interface ExportHead {
  readonly contact: ContactRecord;
  readonly mergedContactIds: readonly string[];
  readonly agentSession: {
    readonly collectedData: Readonly<Record<string, unknown>>;
    readonly createdAt: string;
    readonly updatedAt: string;
  } | null;
}

/** Where a page of an export ended. */
export interface ExportPosition {
  readonly at: string | null;
  readonly id: string | number;
}

export interface ExportPageRequest {
  readonly instanceId: string;
  readonly contactId: string;
  readonly list: ExportList;
  readonly limit: number;
  readonly after: ExportPosition | null;
}

export interface ExportPage {
  readonly items: readonly object[];
  readonly next: ExportPosition | null;
}

export interface EraseContactRequest {
  readonly instanceId: string;
  readonly contactId: string;
  /** Most rows of each kind that one step deletes or looks through. */
  readonly maxRows: number;
  /** The keyed hash of each of the person's identities; only where the database has asked for them. */
  readonly identityHashes?: IdentityHashes;
}

/** Of each identity its keyed hash at one or more instances, in an order that the database has asked for. */
export type IdentityHashes = Readonly<Record<string, readonly string[]>>;

/** The call must be repeated with the hashes of these identities at these instances. */
export interface HashesNeeded {
  readonly instanceId: string;
  readonly identities: readonly string[];
  readonly instanceIds: readonly string[];
}

/** A person at every instance of a workspace. */
export interface ErasePersonRequest {
  readonly instanceId: string;
  readonly contactId: string;
  /** By the instance of each contact. */
  readonly identityHashes: Readonly<Record<string, IdentityHashes>>;
}

/** The call must be repeated with these hashes of each of the person's contacts. */
export interface PersonHashesNeeded {
  readonly needed: readonly HashesNeeded[];
}

/** The erasure that reports on all, and the ids of all, its own among them. */
export interface PersonErasure extends Erasure {
  readonly erasureIds: readonly string[];
}

/** A contact of the same person at another instance. */
export interface PersonContact {
  readonly instanceId: string;
  readonly instanceName: string;
  readonly contactId: string;
}
