/**
 * Where the official channel has the files of its events (page Media): the Graph API tells a URL by the
 * file's id, for five minutes, and the URL takes the token too. Meta keeps received files for seven days.
 */
import { getJson, type HttpAnswer } from "../http/call.ts";
import { readText, readValue } from "../../model/json_value.ts";
import { readRetryAfterMs } from "../../runtime/retry_after.ts";
import type { ChannelCall, FileLookup } from "../provider.ts";
import { type FileSource, readSha256 } from "../webhooks/received_file.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphNodePath, graphUrl } from "./graph.ts";

/** An answer about one file has about 300 bytes. */
const maxAnswerBytes = 16 * 1024;

/** "Unsupported get request. Object with ID ... does not exist": code 100, sub-code 33. */
const missingObject = { code: 100, subcode: 33 };

/** Asks the Graph API for the file's URL. */
export async function locateWhatsappCloudFile(
  config: WhatsappCloudConfig,
  { id }: FileSource,
  options: ChannelCall,
): Promise<FileLookup> {
  if (id === undefined) return { outcome: "found", locations: [] };
  const headers = { authorization: `Bearer ${config.accessToken}` };
  const answer = await getJson({
    url: graphUrl(config, graphNodePath(config, id)),
    headers,
    ...options,
    maxAnswerBytes,
  });
  if (answer.outcome !== "answered") {
    const reason = answer.reason === "timed_out" ? "timed_out" : "connection_lost";
    return refuse(reason, null, true);
  }
  const url = answer.status === 200 ? readText(answer.json, "url") : undefined;
  if (url === undefined) return readRefusal(answer);
  const sha256 = readSha256(answer.json, "sha256");
  const location = { url, headers, trustedBaseUrl: config.baseUrl ?? null, sha256 };
  return { outcome: "found", locations: [location] };
}

function readRefusal({ status, headers, json }: HttpAnswer): FileLookup {
  const isMissing = readValue(json, "error", "code") === missingObject.code &&
    readValue(json, "error", "error_subcode") === missingObject.subcode;
  if (status === 404 || status === 410 || isMissing) return refuse("gone", status, false);
  // A token can be replaced, and a limit passes. A success without a URL is no answer of Meta's.
  const isTemporary = status < 400 || status >= 500 || [401, 403, 408, 425, 429].includes(status);
  const retryAfterMs = readRetryAfterMs(headers, Date.now()) ?? null;
  return { ...refuse("http_error", status, isTemporary), retryAfterMs };
}

type Refusal = Extract<FileLookup, { readonly outcome: "refused" }>;

function refuse(reason: Refusal["reason"], status: number | null, isTemporary: boolean): Refusal {
  return { outcome: "refused", reason, status, isTemporary, retryAfterMs: null };
}
