import type { CheckedFile, MediaSource } from "../../shared/media/checked_file.ts";
import { openFile } from "../../shared/media/checked_file.ts";
import { cleanFileName } from "../../shared/model/file_name.ts";
import { MediaFault, type MediaFaultReason } from "../../shared/media/media_fault.ts";
import { servedType } from "../../shared/media/served_type.ts";
import { type MediaStorage, StorageError } from "../../shared/media/storage.ts";
import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { UploadRecord } from "../../shared/model/upload_record.ts";
import { callRecorded, type Recorded } from "../../shared/idempotency/recorded_call.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { FileFacts } from "../../shared/media/checked_file.ts";

export interface UploadServices {
  readonly database: Database;
  readonly storage: MediaStorage;
}

export interface Upload {
  readonly instanceId: string;
  /** Where the request names the file. */
  readonly field: "file" | "url";
  readonly source: MediaSource;
  /**
   * The call's `Idempotency-Key`, once the file has been read: only then is the body of a form known.
   */
  readonly readIdempotency: (facts: FileFacts) => Promise<Idempotency | null>;
  /** Called between the file and its recording, for what a form holds behind the file. */
  readonly checkRest: () => void;
}

/**
 * Stores a file as it arrives. Its row is there first, so that whatever a killed process leaves in the
 * storage is found and deleted.
 *
 * @throws {AppError} for a file that is not taken, and for a storage that is away.
 */
export async function storeUpload(
  { database, storage }: UploadServices,
  { instanceId, field, source, readIdempotency, checkRest }: Upload,
): Promise<Recorded<UploadRecord>> {
  const file = await refusing(field, () => openFile(source));
  const mediaId = crypto.randomUUID();
  const { mimeType, kind } = file;
  const fileName = cleanFileName(source.fileName);
  const target = { instanceId, mediaId };
  const { storagePath } = await cancelingUnless(
    file,
    () => database.rpc("begin_upload", { ...target, kind, mimeType, fileName }),
  );
  try {
    await refusing(
      field,
      () => storage.put(storagePath, file.body, { contentType: servedType(mimeType) }),
    );
    checkRest();
    const facts = file.facts();
    const idempotency = await readIdempotency(facts);
    return await callRecorded(database, "finish_upload", { ...target, ...facts, idempotency });
  } catch (error) {
    // What stays behind, because this fails too, is deleted within the hour.
    await database.rpc("discard_upload", target).catch(() => {});
    throw error;
  }
}

/** An unread body would keep its connection. */
async function cancelingUnless<Result>(
  file: CheckedFile,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await file.body.cancel(error).catch(() => {});
    throw error;
  }
}

const refusedTypes: ReadonlySet<MediaFaultReason> = new Set(["type_not_allowed", "type_mismatch"]);

async function refusing<Result>(
  field: Upload["field"],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toRefusal(error, field);
  }
}

/** What a fault of the file, which `field` of the request names, or of the storage is to the caller. */
export function toRefusal(error: unknown, field: Upload["field"]): unknown {
  if (error instanceof StorageError) {
    return error.reason === "unavailable" ? new AppError("service_unavailable") : error;
  }
  if (!(error instanceof MediaFault)) return error;
  const { reason, status, message } = error;
  if (reason === "too_large") {
    return new AppError("payload_too_large", {
      message:
        "The file is too large: 5 MB at most for an image, 16 MB for audio and video, 100 MB for a document (1 MB = 2^20 bytes).",
    });
  }
  if (refusedTypes.has(reason)) return new AppError("unsupported_media_type", { message });
  if (reason === "empty_file") return refuse(field, "is empty");
  if (reason === "invalid_url" || reason === "private_host") return refuse("url", message);
  return new AppError("media_fetch_failed", {
    message,
    body: { details: { code: reason, ...(status === null ? {} : { status }) } },
  });
}

function refuse(path: string, message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path, message }] });
}
