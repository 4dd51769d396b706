/** The address and version of Meta's Graph API, which serves the Cloud API. */
import { joinUrl } from "../config_fields.ts";
import type { WhatsappCloudConfig } from "./config.ts";

const DEFAULT_BASE_URL = "https://graph.facebook.com";
/** Meta's current version (Graph API changelog: since 29 July 2026; v23.0 ends on 8 October 2027). */
const DEFAULT_API_VERSION = "v26.0";

/** The path of a node's resource: for example the `messages` of a phone number. */
export function graphPath(config: WhatsappCloudConfig, nodeId: string, edge: string): string {
  return `/${config.apiVersion ?? DEFAULT_API_VERSION}/${encodeURIComponent(nodeId)}/${edge}`;
}

/** The path of a node itself: for example a file. */
export function graphNodePath(config: WhatsappCloudConfig, nodeId: string): string {
  return `/${config.apiVersion ?? DEFAULT_API_VERSION}/${encodeURIComponent(nodeId)}`;
}

/** The URL of a Graph API path for this instance. */
export function graphUrl(config: WhatsappCloudConfig, path: string): string {
  return joinUrl(config.baseUrl ?? DEFAULT_BASE_URL, path);
}
