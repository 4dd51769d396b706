import type { MediaKind } from "../../media/media_rules.ts";
import type { MediaStatus } from "../../model/media_status.ts";
import type { UploadRecord } from "../../model/upload_record.ts";
import type { Once, RecordedResult, Replayed } from "./idempotency.ts";
import type { MessageError } from "../../model/message_error.ts";
import type { Rpc } from "./rpc.ts";

/** Uploads, and the reading of files. */
export interface MediaUploadRpcs {
  begin_upload: Rpc<NewUpload, { readonly storagePath: string }>;
  discard_upload: Rpc<UploadTarget, { readonly discarded: boolean }>;
  expire_lost_media: Rpc<{ readonly mediaId: string }, { readonly expired: boolean }>;
  finish_upload: Rpc<Once<FinishedUpload>, RecordedResult<UploadRecord>>;
  get_media: Rpc<
    { readonly mediaId: string; readonly instanceId: string | null },
    MediaDescription
  >;
  keep_provider_upload: Rpc<
    { readonly mediaId: string; readonly providerUploadId: string | null },
    Readonly<Record<string, never>>
  >;
  recall_upload: Rpc<Once<unknown>, Partial<Replayed<UploadRecord>>>;
}

export interface UploadTarget {
  readonly instanceId: string;
  readonly mediaId: string;
}

export interface NewUpload extends UploadTarget {
  readonly kind: string;
  readonly mimeType: string;
  readonly fileName: string | null;
}

export interface FinishedUpload extends UploadTarget {
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** See the SQL function `describe_media`. */
export interface MediaDescription {
  readonly mediaId: string;
  readonly origin: "channel" | "upload";
  readonly kind: MediaKind;
  readonly status: MediaStatus;
  readonly mimeType: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly fileName: string | null;
  readonly storagePath: string | null;
  readonly providerUploadId: string | null;
  readonly lastError: MessageError | null;
}

/** What a message's file is to its sending; a part of `MediaDescription`. */
export type SendableFile = Pick<
  MediaDescription,
  "mediaId" | "status" | "mimeType" | "fileName" | "storagePath" | "providerUploadId"
>;
