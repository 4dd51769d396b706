import { AppError } from "../../shared/model/errors.ts";
import { dispositionOf, servedType } from "../../shared/media/served_type.ts";
import type { MediaDescription } from "../../shared/database/rpcs/media_uploads.ts";
import { StorageError } from "../../shared/media/storage.ts";

/** A file that is there. */
export type StoredMedia = MediaDescription & { readonly storagePath: string };

/**
 * Requires that a file can be read now.
 *
 * @throws {AppError} `media_pending`, `media_failed` or `media_expired`.
 */
export function requireStored(media: MediaDescription): StoredMedia {
  const { status, storagePath, lastError } = media;
  switch (status) {
    case "pending":
      // An upload under way is nobody's yet.
      throw new AppError(media.origin === "upload" ? "media_not_found" : "media_pending");
    case "failed":
      throw new AppError("media_failed", { body: { details: lastError } });
    case "expired":
      throw new AppError("media_expired", { body: { details: lastError } });
    case "stored":
      if (storagePath === null) throw new AppError("media_expired");
      return { ...media, storagePath };
  }
}

/** The headers under which a file is given out: no browser runs it, whatever it holds. */
export function listFileHeaders(media: StoredMedia): Record<string, string> {
  return {
    "Content-Type": servedType(media.mimeType ?? ""),
    "Content-Disposition": dispositionOf(media),
    ...(media.size === null ? {} : { "Content-Length": String(media.size) }),
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, max-age=3600",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // Pages of other origins show pictures and play sound.
    "Cross-Origin-Resource-Policy": "cross-origin",
  };
}

/** A storage that is away is answered as a database that is. */
export function toServingRefusal(error: unknown): unknown {
  return error instanceof StorageError && error.reason === "unavailable"
    ? new AppError("service_unavailable")
    : error;
}
