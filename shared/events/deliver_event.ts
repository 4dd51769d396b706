import type { CredentialVault } from "../crypto/credential_vault.ts";
import { signWebhook } from "../crypto/webhook_signature.ts";
import type { EventTarget } from "../database/rpcs/webhooks.ts";
import type { MediaLinks } from "../media/links.ts";
import { version } from "../model/version.ts";
import { HostResolution } from "../runtime/host_resolution.ts";
import { presentEvent } from "./event_body.ts";
import { postEvent, type PostResult, type PostRules } from "./post_event.ts";

/** An event as it is sent. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly body: string;
}

/** Sends an event to an endpoint, once. Rejects with `CredentialError` where no key opens a secret. */
export type DeliverEvent = (event: OutgoingEvent, target: EventTarget) => Promise<PostResult>;

export interface DeliveryRules {
  readonly vault: CredentialVault;
  readonly allowsPrivateHosts: boolean;
  /** Default: the runtime's resolver. */
  readonly hosts?: HostResolution;
  readonly timeoutMs?: number;
  /** Absent: events name files, and hold no links to them. */
  readonly links?: MediaLinks;
}

/** Longest wait for a receiver's answer. */
export const defaultTimeoutMs = 15_000;
/** Opened secrets that one process keeps: opening one takes another thread, for every delivery. */
const maxSecrets = 1_000;

/** Creates the sender of events: signed by Standard Webhooks, to public hosts unless allowed. */
export function createEventDelivery(
  { vault, allowsPrivateHosts, hosts = new HostResolution(), timeoutMs = defaultTimeoutMs, links }:
    DeliveryRules,
): DeliverEvent {
  const opened = new Map<string, Promise<string>>();
  const openSecret = (sealed: string, endpointId: string): Promise<string> => {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const secret = vault.open<string>(sealed, endpointId);
    opened.set(sealed, secret);
    secret.catch(() => opened.delete(sealed));
    if (opened.size > maxSecrets) opened.delete(opened.keys().next().value ?? "");
    return secret;
  };
  return async (event, { endpointId, url, sealedSecrets }) => {
    const { eventId } = event;
    // Each attempt has a link of its own: it may come ten hours after the first one.
    const body = JSON.stringify(presentEvent(JSON.parse(event.body), links));
    const secrets = await Promise.all(
      sealedSecrets.map((sealed) => openSecret(sealed, endpointId)),
    );
    const signed = { url, secrets, id: eventId, body };
    return await postSigned(signed, { allowsPrivateHosts, hosts, timeoutMs });
  };
}

/** A body that is signed by Standard Webhooks, and where it goes. */
export interface SignedPost {
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
  /** What the receiver tells repeated calls by. */
  readonly id: string;
  readonly body: string;
}

/** Posts a body as webhooks are sent: see `postEvent`. */
export async function postSigned(
  { url, secrets, id, body }: SignedPost,
  rules: PostRules,
): Promise<PostResult> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = {
    "content-type": "application/json",
    "user-agent": `messaging-integration-api/${version}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signWebhook(secrets, { id, timestampSeconds, body }),
  };
  return await postEvent({ url, headers, body }, rules);
}
