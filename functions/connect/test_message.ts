import { readSession } from "../../shared/connections/connection.ts";
import type { ConnectionServices } from "../../shared/connections/open_connection.ts";
import type { EnteredLink } from "../../shared/database/rpcs/tenancy.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { OpenProvider } from "../../shared/providers/open_provider.ts";
import { connectWords } from "./words.ts";

export interface TestMessageServices extends ConnectionServices {
  readonly openProvider: OpenProvider;
}

/**
 * Sends a message from the connected phone to itself, past the queue. Nothing is stored of it: the instance's
 * own number is no contact's.
 *
 * @throws {AppError} `connection_pending` where no phone is connected or its number is not told;
 * `provider_connection_failed` with `details`.
 */
export async function sendTestMessage(
  services: TestMessageServices,
  link: EnteredLink,
): Promise<void> {
  const { instanceId, provider, sealedProviderConfig, language, instanceName } = link;
  const { state, phone } = await readSession(services, instanceId);
  if (state !== "connected" || phone === null) throw new AppError("connection_pending");
  const channel = await services.openProvider({ instanceId, provider, sealedProviderConfig });
  const message = connectWords[language ?? "pt"].testMessage.replace("{name}", instanceName);
  const receipt = await channel.send(
    { messageId: crypto.randomUUID(), to: phone, content: { messageType: "text", message } },
    { timeoutMs: services.providerTimeoutMs },
  );
  if (receipt.outcome === "accepted") return;
  const details = receipt.outcome === "rejected"
    ? { code: receipt.code, message: receipt.message }
    : { code: receipt.reason, message: "The provider did not answer." };
  throw new AppError("provider_connection_failed", { body: { details } });
}
