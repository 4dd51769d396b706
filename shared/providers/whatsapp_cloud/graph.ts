/** Meta's Graph API, where all of the Cloud API is: its address and its version. */
import { joinUrl } from "../config_fields.ts";
import type { WhatsappCloudConfig } from "./config.ts";

const DEFAULT_BASE_URL = "https://graph.facebook.com";
/** Meta's current version (Graph API changelog: since 29 July 2026; v23.0 ends on 8 October 2027). */
const DEFAULT_API_VERSION = "v26.0";

/** The path of what belongs to a node (a phone number, a business account): its `messages`, say. */
export function graphPath(config: WhatsappCloudConfig, nodeId: string, edge: string): string {
  return `/${config.apiVersion ?? DEFAULT_API_VERSION}/${encodeURIComponent(nodeId)}/${edge}`;
}

/** Where a path of the Graph API is for this instance. */
export function graphUrl(config: WhatsappCloudConfig, path: string): string {
  return joinUrl(config.baseUrl ?? DEFAULT_BASE_URL, path);
}
