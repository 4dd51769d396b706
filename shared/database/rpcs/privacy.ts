import type { ContactRecord } from "../../model/contact_record.ts";
import type { Rpc } from "./rpc.ts";

export interface PrivacyRpcs {
  erase_contact: Rpc<EraseContactRequest, Erasure | HashesNeeded>;
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

export type ExportList = "messages" | "notes" | "transfers" | "consentLog";

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
  readonly identityHashes?: Readonly<Record<string, string>>;
}

/** The call must be repeated with the hashes of these identities. */
export interface HashesNeeded {
  readonly identities: readonly string[];
}

export interface Erasure {
  readonly erasureId: string;
  readonly contactId: string;
  readonly status: "pending" | "done";
  readonly counts: ErasedCounts;
}

/** How many rows of each kind are gone, or were emptied of what was about the person. */
export interface ErasedCounts {
  readonly messages: number;
  readonly notes: number;
  readonly media: number;
  readonly events: number;
  readonly deliveries: number;
  readonly providerPayloads: number;
  readonly outboxPayloads: number;
  readonly idempotencyBodies: number;
}
