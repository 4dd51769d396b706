/**
 * Where Evolution has the files of its events: in its own storage, if it has one and the event names the
 * URL; else it downloads and decrypts the file when it is asked for by the message's id
 * (`getBase64FromMediaMessage`).
 */
import { joinUrl } from "../config_fields.ts";
import type { FileLocation, FileLookup } from "../provider.ts";
import type { FileSource } from "../webhooks/received_file.ts";
import type { EvolutionConfig } from "./config.ts";

/** The copy first: it is not packed into base64, and does not ask the phone. */
export function locateEvolutionFile(
  { baseUrl, instanceName, apiKey }: EvolutionConfig,
  { url, id }: FileSource,
): Promise<FileLookup> {
  const copy: FileLocation[] = url === undefined
    ? []
    : [{ url, headers: {}, trustedBaseUrl: baseUrl }];
  const original: FileLocation[] = id === undefined ? [] : [{
    url: joinUrl(
      baseUrl,
      `/chat/getBase64FromMediaMessage/${encodeURIComponent(instanceName)}`,
    ),
    headers: { apikey: apiKey },
    post: { message: { key: { id } }, convertToMp4: false },
    trustedBaseUrl: baseUrl,
  }];
  return Promise.resolve({ outcome: "found", locations: [...copy, ...original] });
}
