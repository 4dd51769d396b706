import { AppError, type ErrorCode } from "../model/errors.ts";
import type { ChannelAction } from "../providers/action.ts";
import type { OpenProvider } from "../providers/open_provider.ts";
import type { ActionReceipt, Provider } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { retryAfterHeader } from "../runtime/retry_after.ts";
import type { SealedInstance } from "../model/instance.ts";

/** Services that asking a channel requires. */
export interface ActingServices {
  readonly openProvider: OpenProvider;
  readonly providerTimeoutMs: number;
  readonly log: Log;
}

/**
 * Asks a channel for something once. Never throws: a defect in a provider's code counts as an unknown
 * outcome, and an instance whose credentials cannot be opened as a refusal.
 */
export async function askChannel(
  services: ActingServices,
  instance: SealedInstance,
  toAction: (provider: Provider) => ChannelAction,
): Promise<ActionReceipt> {
  const { instanceId } = instance;
  let provider: Provider;
  try {
    provider = await services.openProvider(instance);
  } catch (error) {
    services.log.error("channel_action_failed", { instanceId, ...describeDefect(error) });
    return notPrepared;
  }
  try {
    return await provider.act(toAction(provider), { timeoutMs: services.providerTimeoutMs });
  } catch (error) {
    services.log.error("channel_action_failed", { instanceId, ...describeDefect(error) });
    return { outcome: "unknown", reason: "an internal error during the provider call" };
  }
}

/** What an answer tells of an outcome that is not the one asked for; undefined for nothing. */
export function describeAction(
  receipt: ActionReceipt,
): { readonly code: string; readonly message: string } | undefined {
  switch (receipt.outcome) {
    case "rejected":
      return { code: receipt.code, message: receipt.message };
    case "unknown":
      return { code: "outcome_unknown", message: receipt.reason };
    case "done":
    case "not_supported":
      return undefined;
  }
}

/** How a call answers where its channel did not do what it asked for. */
export interface ActionRefusal {
  /** The answer where the channel cannot do it at all. */
  readonly notSupported: () => AppError;
  /** The code where the channel will never do it. */
  readonly refused: ErrorCode;
  /** The sentence where the channel may have done it. */
  readonly unknown: string;
  /** The sentence where the channel cannot do it now. */
  readonly notNow: string;
}

/** The answer of a call to an outcome that is not the one asked for. */
export function refuseAction(
  receipt: Exclude<ActionReceipt, { outcome: "done" }>,
  { notSupported, refused, unknown, notNow }: ActionRefusal,
): AppError {
  switch (receipt.outcome) {
    case "not_supported":
      return notSupported();
    case "unknown":
      return new AppError("provider_outcome_unknown", {
        message: unknown,
        body: { details: { reason: receipt.reason }, retryable: false },
      });
    case "rejected": {
      const { retryable, scope, retryAfterMs } = receipt;
      const details = describeAction(receipt);
      if (!retryable && scope !== "instance") return new AppError(refused, { body: { details } });
      return new AppError("provider_send_failed", {
        message: notNow,
        body: { details, retryable },
        headers: retryAfterHeader(retryAfterMs),
      });
    }
  }
}

const notPrepared: ActionReceipt = {
  outcome: "rejected",
  code: "not_prepared",
  message: "The instance's credentials cannot be decrypted.",
  retryable: true,
  scope: "instance",
};
