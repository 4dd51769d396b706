/** Why a file was not taken over. */
export type MediaFaultReason =
  // What the file is:
  | "too_large"
  | "empty_file"
  | "too_many_parts"
  | "type_not_allowed"
  | "type_mismatch"
  | "wrong_sha256"
  // Where it comes from:
  | "invalid_url"
  | "private_host"
  | "host_not_found"
  | "redirected"
  | "gone"
  | "http_error"
  | "packed"
  | "timed_out"
  | "connection_lost";

/** Fixed texts: the runtime's own contain the URL, which may hold a secret. */
const sentences: Readonly<Record<MediaFaultReason, string>> = {
  too_large: "The file is larger than its type allows.",
  empty_file: "The file is empty.",
  too_many_parts: "The file's host sent it in too many small parts.",
  type_not_allowed: "Files of this type are not allowed.",
  type_mismatch: "The file's content is not of the type that it was given as.",
  wrong_sha256: "The file's SHA-256 is not the one that it was given with.",
  invalid_url: "The file's URL may not be called.",
  private_host: "The file's URL leads to a host that is not public.",
  host_not_found: "The host of the file's URL was not found.",
  redirected: "The file's URL answers with a redirect, which is not followed.",
  gone: "The file does not exist at its URL any more.",
  http_error: "The file's host answered with an error.",
  packed: "The file's host sent it packed, although it was asked not to.",
  timed_out: "The file did not arrive in time.",
  connection_lost: "The connection to the file's host failed.",
};

/** Faults that another attempt may not meet. */
const temporaryReasons: ReadonlySet<MediaFaultReason> = new Set([
  "host_not_found",
  "timed_out",
  "connection_lost",
]);

/** Statuses that may be others next time, besides 5xx. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/** A file that is not taken over. Expected: not a defect. The message may be shown to anyone. */
export class MediaFault extends Error {
  override readonly name = "MediaFault";
  /** Whether the same file may be had later. */
  readonly isTemporary: boolean;

  /** @param status of the answer that the file's host gave. */
  constructor(
    readonly reason: MediaFaultReason,
    readonly status: number | null = null,
    /** How long the host asks to wait. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(sentences[reason]);
    this.isTemporary = temporaryReasons.has(reason) ||
      (reason === "http_error" && status !== null &&
        (status >= 500 || temporaryStatuses.has(status)));
  }
}
