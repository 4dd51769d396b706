/**
 * Edits and deletes what was sent. As a send: recorded before the provider is asked, settled after, and never
 * repeated by itself.
 */
import type {
  BegunChange,
  MessageToChange,
  SettleChangeRequest,
} from "../../shared/database/rpcs/messages.ts";
import type { Database } from "../../shared/database/database.ts";
import {
  type ActingServices,
  type ActionRefusal,
  askChannel,
  describeAction,
  refuseAction,
} from "../../shared/messages/channel_action.ts";
import { toLeaseSeconds } from "../../shared/messages/claim.ts";
import { linkContent } from "../../shared/messages/message_file.ts";
import type { MediaLinks } from "../../shared/media/links.ts";
import { AppError, refuseState } from "../../shared/model/errors.ts";
import type { MessageRecord } from "../../shared/model/message_record.ts";
import type { SealedInstance } from "../../shared/model/instance.ts";
import { readStoredContent } from "../../shared/model/message_content.ts";
import type { ChannelAction } from "../../shared/providers/action.ts";
import type { ActionReceipt } from "../../shared/providers/provider.ts";
import { describeDefect } from "../../shared/runtime/log.ts";

export interface ChangingServices extends ActingServices {
  readonly database: Database;
  readonly links: MediaLinks;
}

/** What a call asks for: new words, or that a message is deleted for everyone. */
export type WantedChange =
  & { readonly messageId: string }
  & ({ readonly kind: "edit"; readonly message: string } | { readonly kind: "delete" });

/**
 * Changes a sent message on its channel. A kill at any step leaves the state that the message's `change` shows.
 *
 * @throws {AppError} `message_not_found`; `message_not_editable` or `message_not_deletable`, also where the
 * provider says so; `provider_send_failed` where it cannot be asked now, `provider_outcome_unknown`.
 */
export async function changeMessage(
  services: ChangingServices,
  instance: SealedInstance,
  wanted: WantedChange,
): Promise<MessageRecord> {
  const { instanceId } = instance;
  const begun: BegunChange = await services.database.rpc("begin_message_change", {
    ...wanted,
    instanceId,
    leaseSeconds: toLeaseSeconds(services.providerTimeoutMs),
  });
  if (begun.change === null) return begun.message;
  const { change } = begun;
  const receipt = await askChannel(
    services,
    instance,
    () => toAction(services.links, wanted.kind, change),
  );
  const record = await settle(services, {
    ...{ instanceId, messageId: change.messageId, token: change.token },
    ...describeOutcome(receipt),
  });
  if (receipt.outcome !== "done") throw refuseAction(receipt, toRefusal(wanted.kind));
  if (record === null) throw new AppError("message_not_found");
  return record;
}

function toAction(
  links: MediaLinks,
  kind: WantedChange["kind"],
  change: MessageToChange,
): ChannelAction {
  const { to, providerMessageId, file, content } = change;
  if (kind === "delete") return { action: "delete", to, providerMessageId };
  const linked = file === null ? change : { ...change, content: linkContent(content, file, links) };
  return { action: "edit", to, providerMessageId, content: readStoredContent(linked) };
}

function describeOutcome(
  receipt: ActionReceipt,
): Pick<SettleChangeRequest, "outcome" | "error"> {
  const error = describeAction(receipt) ?? null;
  switch (receipt.outcome) {
    case "done":
      return { outcome: "done", error: null };
    case "not_supported":
      return { outcome: "refused", error: notSupported };
    case "rejected":
      return { outcome: "refused", error };
    case "unknown":
      return { outcome: "unknown", error };
  }
}

const notSupported = {
  code: "not_supported",
  message: "This channel cannot do it with this message.",
};

/** Waits before each retry to record an outcome, in milliseconds; the change's lease outlasts them. */
const settleRetryDelaysMs = [100, 400, 1_500, 4_000];

/** Where no try succeeds, the lease ends and the change is shown as `unknown`. */
async function settle(
  { database, log }: ChangingServices,
  request: SettleChangeRequest,
): Promise<MessageRecord | null> {
  for (const delayMs of settleRetryDelaysMs) {
    try {
      return (await database.rpc("settle_message_change", request)).message;
    } catch (error) {
      const { messageId, outcome } = request;
      log.error("settle_failed", {
        ...{ messageId, outcome, isLastTry: false },
        ...describeDefect(error),
      });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return (await database.rpc("settle_message_change", request)).message;
}

/** How a change that was not done is answered. What cannot be done at all is a 409, as before the call. */
function toRefusal(kind: WantedChange["kind"]): ActionRefusal {
  const code = kind === "edit" ? "message_not_editable" : "message_not_deletable";
  return {
    notSupported: () => refuseState(code, notSupported.code),
    refused: code,
    unknown:
      "The provider may or may not have changed the message. It is not asked again by itself; its own word settles it.",
    notNow: "The provider did not change the message or could not be reached; see details.",
  };
}
