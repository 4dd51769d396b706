import type { ZapiConfig } from "./config.ts";

const defaultBaseUrl = "https://api.z-api.io";

/** The address of the API of an instance. */
export function zapiBaseUrl({ baseUrl }: ZapiConfig): string {
  return baseUrl ?? defaultBaseUrl;
}

/** The path of an instance, below which its calls are. */
export function instancePath({ gatewayInstanceId, token }: ZapiConfig): string {
  return `/instances/${encodeURIComponent(gatewayInstanceId)}/token/${encodeURIComponent(token)}`;
}
