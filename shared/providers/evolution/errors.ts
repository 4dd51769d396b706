/**
 * The table of Evolution API's refusals that the HTTP status does not explain. Evolution has no
 * error codes, so the rules match its error texts. Sources: issues of EvolutionAPI/evolution-api by
 * number; "source" is its code of version 2.3.6.
 */
import { instanceOutage, type KnownAnswer } from "../classification.ts";

/** Members of the session that a send reads before it writes anything to WhatsApp. */
const sessionMembers = "textMessage|mediaMessage|audioWhatsapp|listMessage|onWhatsApp|user";

export const evolutionErrors: readonly KnownAnswer[] = [
  {
    // 2229: 400; 1286 and 1799: 500. The session dropped before the message was written.
    words: /Connection Closed/i,
    classification: instanceOutage,
  },
  {
    // 1412 and 2583: 500. The instance exists, but its session is not loaded.
    words: new RegExp(
      `Cannot read propert(?:y|ies) of (?:undefined|null) \\(?reading '(?:${sessionMembers})'\\)?`,
    ),
    classification: instanceOutage,
  },
  {
    // Source, instance guard: 404 "The "<name>" instance does not exist".
    statuses: [404],
    words: /instance does not exist/i,
    classification: instanceOutage,
  },
  {
    // Source, `prepareMediaMessage`: Evolution could not fetch the file that it was to send.
    words: /Request failed with status code 4\d\d/i,
    classification: { verdict: "permanent", scope: "message" },
  },
  {
    // The same, where the file's server failed or could not be reached.
    words: /AxiosError|Request failed with status code 5\d\d/i,
    classification: { verdict: "retryable", scope: "message" },
  },
  {
    // Baileys waits 60 s for WhatsApp's answer: the message may have been sent.
    words: /Timed Out/i,
    classification: { verdict: "ambiguous" },
  },
  {
    // Source, Cloud API channel: the call to Meta ended without an answer from Meta.
    statuses: [400],
    words: /Cannot read properties of undefined \(reading 'message'\)/,
    classification: { verdict: "ambiguous" },
  },
];
