/**
 * Where WAHA has the files of its events (page Receive messages, "Media Files"): at its own address for a
 * short time, behind the key, or in the storage of its operator. What it has not downloaded it downloads
 * when it is asked for the message.
 */
import { joinUrl } from "../config_fields.ts";
import { getJson } from "../http/call.ts";
import type { FileLocation, FileLookup } from "../provider.ts";
import { readUrl } from "../webhooks/fields.ts";
import type { FileSource } from "../webhooks/received_file.ts";
import { readRetryAfterMs } from "../../runtime/retry_after.ts";
import type { WahaConfig } from "./config.ts";
import { parseWahaId } from "./message_id.ts";

const MAX_ANSWER_BYTES = 256 * 1024;

/** What a look-up needs beside the source. */
export interface LookupOptions {
  readonly timeoutMs: number;
  readonly instanceId: string;
}

/** Finds the file by its URL, else by its message. */
export async function locateWahaFile(
  config: WahaConfig,
  { url, id }: FileSource,
  options: LookupOptions,
): Promise<FileLookup> {
  if (url !== undefined) return { outcome: "found", locations: toLocations(config, url) };
  return id === undefined
    ? { outcome: "found", locations: [] }
    : await askForFile(config, id, options);
}

/**
 * WAHA writes its URLs by its own setting (`WAHA_BASE_URL`), which may name another host than the one
 * that we reach it by. So a file of its own is read at the instance's address, and the key goes nowhere
 * else.
 */
function toLocations({ baseUrl, apiKey }: WahaConfig, url: string): FileLocation[] {
  const { pathname, search } = new URL(url);
  const [, path] = /(\/api\/(?:files|s3)\/.*)$/.exec(pathname) ?? [];
  const foreign = { url, headers: {}, trustedBaseUrl: baseUrl };
  if (path === undefined) return [foreign];
  const own = {
    url: joinUrl(baseUrl, path + search),
    headers: { "x-api-key": apiKey },
    trustedBaseUrl: baseUrl,
  };
  return [own];
}

async function askForFile(
  config: WahaConfig,
  id: string,
  { timeoutMs, instanceId }: LookupOptions,
): Promise<FileLookup> {
  const [session, chat, message] = [config.session, parseWahaId(id).chat ?? "all", id]
    .map(encodeURIComponent);
  const result = await getJson({
    url: joinUrl(
      config.baseUrl,
      `/api/${session}/chats/${chat}/messages/${message}?downloadMedia=true`,
    ),
    headers: { "x-api-key": config.apiKey },
    maxAnswerBytes: MAX_ANSWER_BYTES,
    timeoutMs,
    instanceId,
  });
  if (result.outcome !== "answered") {
    return {
      outcome: "refused",
      reason: result.reason === "timed_out" ? "timed_out" : "connection_lost",
      status: null,
      isTemporary: true,
      retryAfterMs: null,
    };
  }
  const { status } = result;
  const url = readUrl(result.json, "media", "url");
  if (status < 300 && url !== undefined) {
    return { outcome: "found", locations: toLocations(config, url) };
  }
  return {
    outcome: "refused",
    reason: status < 300 || status === 404 ? "gone" : "http_error",
    status,
    isTemporary: status === 422 || status === 429 || status >= 500,
    retryAfterMs: readRetryAfterMs(result.headers, Date.now()) ?? null,
  };
}
