export { Client } from "./client.ts";
export { ApiError, ConnectionError } from "./errors.ts";
export { verifyWebhook, type WebhookBody, WebhookError } from "./webhook.ts";
export type { ErrorCode } from "./methods.ts";
export type * from "./types.ts";
