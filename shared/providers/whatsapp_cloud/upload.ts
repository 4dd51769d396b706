/**
 * Hands a file over to the Cloud API (page Media, POST /{version}/{phone number id}/media). It lives 30
 * days there, and only this phone number can send it.
 */
import { listSecrets } from "../stored_config.ts";
import { createFormBody } from "../http/form_body.ts";
import { type HttpResult, postStream } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import type { FileCarrier, FileReceipt, Receipt } from "../provider.ts";
import { readId } from "../../model/json_value.ts";
import { toFailureReceipt } from "../classification.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";
import { graphPath, graphUrl } from "./graph.ts";

/**
 * What Meta answers to a send whose media id it does not know: an invalid parameter, or a failed
 * download or upload of the media (page Error codes).
 */
const unknownUploadCodes: ReadonlySet<string> = new Set(["100", "131009", "131052", "131053"]);

/**
 * The types that Meta takes ("Param file must be a file with one of the following types"). WAV and CSV are
 * not among them, nor is what a received document may be.
 */
const takenTypes: ReadonlySet<string> = new Set([
  ...["audio/aac", "audio/amr", "audio/mp4", "audio/mpeg", "audio/ogg"],
  ...["image/jpeg", "image/png", "image/webp", "video/mp4", "video/3gpp"],
  ...["application/pdf", "text/plain"],
  ...["application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"],
  ...["wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"]
    .map((type) => `application/vnd.openxmlformats-officedocument.${type}`),
]);

/** The type under which a file is handed over: CSV is text, and its name says the rest. */
function toTakenType(mimeType: string): string {
  return mimeType === "text/csv" ? "text/plain" : mimeType;
}

/** The files of one phone number. What is kept names the number, which a configuration may change. */
export function createWhatsappCloudFiles(
  config: WhatsappCloudConfig,
  instanceId: string,
): FileCarrier {
  const { phoneNumberId } = config;
  return {
    takesType: (mimeType) => takenTypes.has(toTakenType(mimeType)),
    readUploadId(kept): string | null {
      const [number, uploadId] = kept.split("/");
      return number === phoneNumberId && uploadId !== undefined ? uploadId : null;
    },
    async upload(file, options): Promise<FileReceipt> {
      if (phoneNumberId === undefined) return failed("no_phone_number_id", false);
      const mimeType = toTakenType(file.mimeType);
      const form = createFormBody({ messaging_product: "whatsapp", type: mimeType }, {
        ...file,
        mimeType,
        field: "file",
      });
      const result = await postStream({
        url: graphUrl(config, graphPath(config, phoneNumberId, "media")),
        headers: { authorization: `Bearer ${config.accessToken}` },
        ...form,
        ...options,
        instanceId,
      });
      return readUpload(config, phoneNumberId, result);
    },
    isUnknownUpload: (receipt) =>
      receipt.outcome === "rejected" && unknownUploadCodes.has(receipt.code),
  };
}

function readUpload(
  config: WhatsappCloudConfig,
  phoneNumberId: string,
  result: HttpResult,
): FileReceipt {
  if (result.outcome !== "answered") return toUploadReceipt(toFailureReceipt(result));
  const uploadId = readId(result.json, "id");
  if (result.status === 200 && uploadId !== undefined) {
    return { outcome: "uploaded", kept: `${phoneNumberId}/${uploadId}` };
  }
  const redact = createRedactor(listSecrets(config, whatsappCloudSecretFields), null);
  return toUploadReceipt(readWhatsappCloudAnswer(result, { nowMs: Date.now(), redact }));
}

/** An upload that may have arrived is harmless: nothing was sent, so it is made again. */
function toUploadReceipt(receipt: Receipt): FileReceipt {
  return receipt.outcome === "rejected" ? receipt : failed("media_upload_failed", true);
}

function failed(code: string, retryable: boolean): FileReceipt {
  const message = "The file could not be handed over to the provider. The message was not sent.";
  return { outcome: "rejected", code, message, retryable, scope: "message" };
}
