/**
 * Signed links to files: an address of `media-api` that works without a token until it expires. Anyone
 * with the link can read the file, so each reader gets a new one, and nothing else opens a file.
 */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { MediaStatus } from "../model/media_status.ts";
import type { ContentParts } from "../model/message_content.ts";

/** How long the links in history, records and events work. */
export const readingLinkSeconds = 7 * 24 * 60 * 60;

/** The query of a link, as `media-api` receives it. */
export interface LinkQuery {
  /** Unix milliseconds. */
  readonly expires?: string | undefined;
  readonly nonce?: string | undefined;
  readonly signature?: string | undefined;
}

/** Makes and checks the links of this deployment. */
export interface MediaLinks {
  /**
   * A new link to a file, whether or not the file is there yet. At most 450 characters. `name` ends its
   * path, for who tells a file's type by the name: of letters, digits and dots.
   */
  create(mediaId: string, expiresInSeconds?: number, name?: string): string;
  /** When the link ends, as Unix milliseconds; null for one that is forged, altered or over. */
  verify(mediaId: string, query: LinkQuery): number | null;
}

export interface LinkOptions {
  /** Base64 keys separated by commas (`CREDENTIALS_KEYS`): the first signs, links of all work. */
  readonly credentialsKeys: string;
  /** See `Config`. */
  readonly functionsUrl: string;
}

/** Creates the links of a deployment. Their key is derived from the credentials' key, for this alone. */
export function createMediaLinks({ credentialsKeys, functionsUrl }: LinkOptions): MediaLinks {
  const keys = credentialsKeys.split(",").map((key) =>
    createHmac("sha256", Buffer.from(key.trim(), "base64")).update("media links v1").digest()
  );
  const sign = (key: Uint8Array, mediaId: string, expires: string, nonce: string): Uint8Array =>
    createHmac("sha256", key).update(`${mediaId}.${expires}.${nonce}`).digest();
  return {
    create(mediaId, expiresInSeconds = readingLinkSeconds, name?): string {
      const expires = String(Date.now() + expiresInSeconds * 1_000);
      const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("base64url");
      const [key = Buffer.alloc(0)] = keys;
      const signature = Buffer.from(sign(key, mediaId, expires, nonce)).toString("base64url");
      const query = new URLSearchParams({ expires, nonce, signature });
      const path = name === undefined ? mediaId : `${mediaId}/${name}`;
      return `${functionsUrl}/media-api/links/${path}?${query}`;
    },
    verify(mediaId, { expires = "", nonce = "", signature = "" }): number | null {
      if (!/^[0-9]{1,15}$/.test(expires) || Number(expires) <= Date.now()) return null;
      const given = Buffer.from(signature, "base64url");
      const isOurs = keys.some((key) => {
        const expected = sign(key, mediaId, expires, nonce);
        return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
      });
      return isOurs ? Number(expires) : null;
    },
  };
}

/** What a record says of its file. */
export interface MediaReference {
  readonly mediaId: string | null;
  readonly mediaStatus: MediaStatus | null;
  readonly mediaUrl: string | null;
}

/** The record with a new link to its file, where it has one that is there or still comes. */
export function withMediaUrl<Shown extends MediaReference>(
  record: Shown,
  links: MediaLinks,
): Shown {
  const { mediaId, mediaStatus } = record;
  if (mediaId === null || mediaStatus === "failed" || mediaStatus === "expired") return record;
  return { ...record, mediaUrl: links.create(mediaId) };
}

/** A message of a history, as far as its file goes. */
export interface LinkedMessage {
  readonly mediaId: string | null;
  readonly mediaStatus: MediaStatus | null;
  readonly content: ContentParts | null;
}

/** The messages with a new link in the place of each file's URL, where it is there or still comes. */
export function linkMessages<Message extends LinkedMessage>(
  messages: readonly Message[],
  links: MediaLinks,
): readonly Message[] {
  return messages.map((message) => {
    const { mediaId, mediaStatus, content } = message;
    const { mediaUrl } = withMediaUrl({ mediaId, mediaStatus, mediaUrl: null }, links);
    return mediaUrl === null ? message : { ...message, content: { ...content, mediaUrl } };
  });
}

/** The data of an event with a new link to its message's file. */
export function linkEventData(
  data: Readonly<Record<string, unknown>>,
  links: MediaLinks,
): Readonly<Record<string, unknown>> {
  const { messages } = data;
  if (Array.isArray(messages)) {
    return { ...data, messages: messages.map((message) => linkEventData(message, links)) };
  }
  return typeof data["mediaId"] === "string"
    ? withMediaUrl(data as Readonly<Record<string, unknown>> & MediaReference, links)
    : data;
}
