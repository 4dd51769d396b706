/** Where Z-API has the files of its events: at the URL that the event names, for 30 days. */
import type { FileLookup } from "../provider.ts";
import type { FileSource } from "../webhooks/received_file.ts";
import type { ZapiConfig } from "./config.ts";

/** The event's own URL. It needs no credential. */
export function locateZapiFile({ baseUrl }: ZapiConfig, { url }: FileSource): Promise<FileLookup> {
  const locations = url === undefined
    ? []
    : [{ url, headers: {}, trustedBaseUrl: baseUrl ?? null }];
  return Promise.resolve({ outcome: "found", locations });
}
