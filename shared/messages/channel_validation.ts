import { AppError } from "../model/errors.ts";
import type { Instance } from "../model/instance.ts";
import type { MessageContent } from "../model/message_content.ts";
import type { Provider } from "../providers/provider.ts";

/**
 * Refuses content that the instance's channel cannot carry, before anything is stored. `requestNames`
 * maps fields whose name in the request differs (`message`: `messageText`).
 *
 * @throws {AppError} `provider_outbound_channel_not_configured`, or `invalid_request` with `issues`.
 */
export function validateForChannel(
  instance: Instance,
  provider: Provider,
  content: MessageContent,
  requestNames: Readonly<Record<string, string>> = {},
): void {
  if (instance.gatewayInstanceId === null) {
    throw new AppError("provider_outbound_channel_not_configured");
  }
  const issues = provider.checkContent(content).map(({ path, message }) => ({
    path: requestNames[path] ?? path,
    message,
  }));
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
}

/**
 * Refuses a file of ours that the instance's channel does not take, before anything is stored.
 *
 * @throws {AppError} `invalid_request` for `mediaId`.
 */
export function validateFileForChannel(
  provider: Provider,
  file: { readonly mimeType: string | null } | null,
): void {
  const mimeType = file?.mimeType ?? null;
  if (mimeType === null || provider.files === null || provider.files.takesType(mimeType)) return;
  throw new AppError("invalid_request", {
    issues: [{
      path: "mediaId",
      message: `is a file of type ${mimeType}, which the official channel does not take`,
    }],
  });
}
