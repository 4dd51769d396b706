import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";
import type { Notification } from "../model/ask.ts";
import type { DeliverOutboxRow } from "../outbox/delivery.ts";
import { HostResolution } from "../runtime/host_resolution.ts";
import { defaultTimeoutMs, type DeliveryRules, postSigned } from "./deliver_event.ts";
import { presentEvent, type ToldEvent } from "./event_body.ts";
import type { PostResult } from "./post_event.ts";

/**
 * Creates what tells the end of a question at the address that its call gave: as an event is sent to a webhook
 * endpoint, signed by Standard Webhooks, never redirected. An answer of 2xx, 409 or 410 ends it.
 */
export function createQuestionNotification(
  { vault, allowsPrivateHosts, hosts = new HostResolution(), timeoutMs = defaultTimeoutMs, links }:
    DeliveryRules,
): DeliverOutboxRow {
  return async ({ payload }: OutboxRow): Promise<OutboxOutcome> => {
    const { instanceId, sealedNotify, event } = payload;
    const { url, secret } = await vault.open<Notification>(
      String(sealedNotify),
      String(instanceId),
    );
    const told = event as ToldEvent & { readonly id: string };
    const body = JSON.stringify(presentEvent(told, links));
    const rules = { allowsPrivateHosts, hosts, timeoutMs };
    return judgeAnswer(await postSigned({ url, secrets: [secret], id: told.id, body }, rules));
  };
}

/** 409 and 410: the receiver has it, or wants it no more. */
function judgeAnswer({ status, error, retryAfterMs }: PostResult): OutboxOutcome {
  if (status !== null && (status >= 200 && status < 300 || [409, 410].includes(status))) {
    return { outcome: "done" };
  }
  const retryAfter = retryAfterMs === null ? {} : { retryAfterMs };
  return { outcome: "retry", error: error ?? `http_${status}`, ...retryAfter };
}
