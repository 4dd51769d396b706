/**
 * Uploads the sample of a template's header, which is named by a handle and not by a media id (page
 * Resumable Upload API): a session of the app, then the bytes.
 */
import { readId, readText } from "../../model/json_value.ts";
import { postJson, postStream } from "../http/call.ts";
import type { SampleFile, TemplateAccount, TemplateRefusal } from "../template_account.ts";
import type { AccountOptions } from "../template_listing.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphNodePath, graphPath, graphUrl } from "./graph.ts";
import { readTemplateFailure, unreadable } from "./template_calls.ts";

/** The types of samples (page Resumable Upload API). */
const sampleTypes = new Set(["application/pdf", "image/jpeg", "image/png", "video/mp4"]);

/** Longest time for the bytes, in milliseconds: 16 MB at 3 Mbit/s. */
const bytesTimeoutMs = 45_000;

export async function uploadSample(
  config: WhatsappCloudConfig,
  { fileName, mimeType, size, open }: SampleFile,
  options: AccountOptions,
): ReturnType<TemplateAccount["upload"]> {
  const { appId } = config;
  if (appId === undefined) return refuse("no_app_id", "providerConfig has no appId.");
  if (!sampleTypes.has(mimeType)) {
    return refuse("type_not_allowed", `A header's sample cannot be a file of type ${mimeType}.`);
  }
  const query = new URLSearchParams({
    file_name: fileName,
    file_length: String(size),
    file_type: mimeType,
  });
  const begun = await postJson({
    url: `${graphUrl(config, graphPath(config, appId, "uploads"))}?${query}`,
    headers: { authorization: `Bearer ${config.accessToken}` },
    body: {},
    ...options,
  });
  const refused = readTemplateFailure(begun, config);
  if (refused !== undefined || begun.outcome !== "answered") return refused ?? unreadable;
  const session = readId(begun.json, "id");
  if (session === undefined || !/^upload:[^/\s#]+$/.test(session)) return unreadable;
  const result = await postStream({
    url: graphUrl(config, toSessionPath(config, session)),
    headers: { authorization: `OAuth ${config.accessToken}`, file_offset: "0" },
    contentType: "application/octet-stream",
    body: open(),
    ...options,
    timeoutMs: Math.max(options.timeoutMs, bytesTimeoutMs),
  });
  const failure = readTemplateFailure(result, config);
  if (failure !== undefined || result.outcome !== "answered") return failure ?? unreadable;
  const handle = readText(result.json, "h");
  return handle === undefined ? unreadable : { outcome: "done", handle };
}

/** The session's id is a path with a query of its own, `upload:MTphd…?sig=…`, and stays as it is. */
function toSessionPath(config: WhatsappCloudConfig, session: string): string {
  return graphNodePath(config, "").concat(session);
}

function refuse(code: string, message: string): TemplateRefusal {
  return { outcome: "refused", code, subcode: null, message };
}
