/**
 * The table of WAHA's refusals that the HTTP status does not explain. Whatever its engine throws is a 500, a
 * refusal by WhatsApp too, so the rules match its texts. Sources: issues of devlikeapro/waha by number, and
 * its pages by name.
 */
import { instanceOutage, type KnownAnswer } from "../classification.ts";
import { newChatLocked, readWhatsappRefusal } from "../whatsapp_refusal.ts";

/** WhatsApp's own refusals of a message to a person whom the account has not written to before. */
const lock = /server returned error 463\b/i;
const quota = /server returned error 475\b/i;

export const wahaErrors: readonly KnownAnswer[] = [
  {
    // Page Sessions, "Reachout Timelock"; issues 1992, 2219: no new chats for a time. The session stays
    // connected and known chats go on, so it is this recipient's message alone.
    words: lock,
    classification: { verdict: "permanent", scope: "recipient" },
    meaning: newChatLocked.meaning,
  },
  {
    // Page Sessions, "Message Capping": the quota of new chats is used up until the cycle's end.
    words: quota,
    classification: { verdict: "permanent", scope: "recipient" },
  },
  {
    // 1714, 2094, 2214 (GOWS), wa-js 2816 (WEBJS): WhatsApp knows no account of this number. It is looked
    // up before anything is sent.
    words: /no LID (?:found )?for /i,
    classification: { verdict: "permanent", scope: "message" },
  },
  {
    // Page Sessions: the session exists, and is not WORKING.
    statuses: [422],
    words: /session status is not as expected/i,
    classification: instanceOutage,
  },
  {
    // The session was deleted, or never created, at this server.
    statuses: [404],
    words: /session\b.*(?:not found|does(?: not|n't) exist)/i,
    classification: instanceOutage,
  },
  {
    // The media's own server answered WAHA with an error (axios), so there was nothing to send.
    words: /Request failed with status code 4\d\d/i,
    classification: { verdict: "permanent", scope: "message" },
  },
  {
    // The same, where that server failed or could not be reached.
    words: /Request failed with status code 5\d\d|getaddrinfo|ECONNREFUSED/i,
    classification: { verdict: "retryable", scope: "message" },
  },
];

/** The code of WhatsApp's own refusal, whose number an engine passes on in its words; undefined for none. */
export function readWhatsappCode(text: string): string | undefined {
  return readWhatsappRefusal(/server returned error (\d{3})\b/i.exec(text)?.[1])?.code;
}
