export { Client } from "./client.ts";
export { ApiError, ConnectionError } from "./errors.ts";
export { verifyWebhook, WebhookError } from "./webhook.ts";
export type { ErrorCode } from "./methods.ts";
export type * from "./types.ts";
