import { signWebhook } from "../crypto/webhook_signature.ts";
import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";
import { version } from "../model/version.ts";
import type { DeliverOutboxRow } from "../outbox/delivery.ts";
import { HostResolution } from "../runtime/host_resolution.ts";
import { defaultTimeoutMs, type DeliveryRules } from "./deliver_event.ts";
import { presentEvent, type ToldEvent } from "./event_body.ts";
import { postEvent, type PostResult } from "./post_event.ts";

/** Where a question's end is told, and what signs it, as the call's process has sealed it. */
interface Notification {
  readonly url: string;
  readonly secret: string;
}

/**
 * Creates what tells the end of a question at the address that its call gave: as an event is sent to a webhook
 * endpoint, signed by Standard Webhooks, never redirected. An answer of 2xx, 409 or 410 ends it.
 */
export function createQuestionNotification(
  { vault, allowsPrivateHosts, hosts = new HostResolution(), timeoutMs = defaultTimeoutMs, links }:
    DeliveryRules,
): DeliverOutboxRow {
  return async ({ outboxId, payload }: OutboxRow): Promise<OutboxOutcome> => {
    const { instanceId, sealedNotify, event } = payload;
    const { url, secret } = await vault.open<Notification>(
      String(sealedNotify),
      String(instanceId),
    );
    const id = `evt_${outboxId.replaceAll("-", "")}`;
    const told = { id, ...event as ToldEvent };
    const body = JSON.stringify(presentEvent(told, links));
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const headers = {
      "content-type": "application/json",
      "user-agent": `messaging-integration-api/${version}`,
      "webhook-id": id,
      "webhook-timestamp": String(timestampSeconds),
      "webhook-signature": signWebhook([secret], { id, timestampSeconds, body }),
    };
    const rules = { allowsPrivateHosts, hosts, timeoutMs };
    return judgeAnswer(await postEvent({ url, headers, body }, rules));
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
