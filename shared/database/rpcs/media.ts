import type { MediaKind } from "../../media/media_rules.ts";
import type { MediaStatus } from "../../model/media_status.ts";
import type { SealedInstance } from "../../model/instance.ts";
import type { OutboxClaimRequest } from "./outbox.ts";
import type { Rpc } from "./rpc.ts";

export interface MediaRpcs {
  begin_media_fetch: Rpc<{ readonly mediaId: string }, { readonly file: FileToFetch | null }>;
  claim_media_fetches: Rpc<
    Pick<OutboxClaimRequest, "maxRows" | "leaseSeconds" | "crowdingInstances">,
    { readonly files: readonly ClaimedFetch[] }
  >;
  settle_media_fetch: Rpc<SettleFetchRequest, SettledFetch>;
  begin_transcription: Rpc<{ readonly mediaId: string }, { readonly file: FileToWrite | null }>;
  settle_transcription: Rpc<SettleTranscriptionRequest, { readonly status: string | null }>;
}

/** A file that a provider has, and what its event said of it. */
export interface FileToFetch extends SealedInstance {
  readonly mediaId: string;
  readonly kind: MediaKind;
  readonly mimeType: string | null;
  readonly sha256: string | null;
  readonly filename: string | null;
  readonly source: { readonly url?: string; readonly id?: string };
  readonly storagePath: string;
  /** Its content was another one than the channel says, once before. */
  readonly hadWrongSha256: boolean;
  /** Its words are to be written down. */
  readonly isVoice: boolean;
}

/** A file that this worker is to fetch. */
export interface ClaimedFetch {
  readonly outboxId: string;
  readonly claimToken: string;
  readonly file: FileToFetch;
}

/** The claim of an outbox row. */
interface ClaimedWork {
  readonly outboxId: string;
  readonly claimToken: string;
  readonly mediaId: string;
}

/** Why a file is not there. */
export interface MediaError {
  readonly code: string;
  readonly message: string;
}

/** How the fetching of a file ended. */
export type FetchOutcome =
  | {
    readonly outcome: "stored";
    readonly mimeType: string;
    readonly size: number;
    readonly sha256: string;
    readonly asksTranscript: boolean;
  }
  | { readonly outcome: "failed" | "expired"; readonly error: MediaError }
  | {
    readonly outcome: "retry";
    readonly error: MediaError;
    readonly retryAfterMs: number | null;
    /** The storage failed, not the file. */
    readonly isOutage: boolean;
  };

export type SettleFetchRequest =
  & ClaimedWork
  & FetchOutcome
  & Pick<OutboxClaimRequest, "crowdingInstances">
  /** Claims the next file for so long; null for none. */
  & { readonly nextLeaseSeconds: number | null };

export interface SettledFetch {
  /** Null where the claim was lost. */
  readonly status: MediaStatus | null;
  /** A stored file is wanted no more: it is to be deleted. */
  readonly isForgotten: boolean;
  /** The file that was claimed with it. */
  readonly next: ClaimedFetch | null;
}

/** A stored voice message. */
export interface FileToWrite {
  readonly mediaId: string;
  readonly storagePath: string;
  readonly mimeType: string;
  readonly size: number;
}

export interface SettleTranscriptionRequest extends ClaimedWork {
  readonly outcome: "done" | "retry";
  readonly transcript: string | null;
  readonly error: string | null;
}
