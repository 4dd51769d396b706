/** What the calls about a connection share. */
import { describeAnswer, isSuccess } from "./classification.ts";
import type { ConnectionFailure } from "./connection.ts";
import type { HttpAnswer, HttpResult } from "./http/call.ts";

/** Answers about a connection are small; a QR code as an image has some kilobytes. */
export const maxConnectionAnswerBytes = 256 * 1024;

/**
 * After how long a QR code is asked for anew. WhatsApp ends one after 20 seconds (Z-API, page QR code, which
 * names 10 to 20; the first one may last longer), and no gateway says how old the one is that it gives.
 */
export const qrLifetimeSeconds = 10;

/**
 * An answer that did what was asked for, or why there is none.
 *
 * @param readRefusal the text of a refusal; undefined for an answer without one, whatever its status.
 * @param redact removes credentials from that text.
 */
export function readConnectionAnswer(
  result: HttpResult,
  readRefusal: (answer: HttpAnswer) => string | undefined,
  redact: (text: string) => string,
): HttpAnswer | ConnectionFailure {
  if (result.outcome !== "answered") {
    return result.outcome === "not_reached"
      ? fail("provider_unreachable", "No connection to the provider could be made.")
      : fail(result.reason, "The provider did not answer.");
  }
  const refusal = readRefusal(result);
  if (isSuccess(result) && refusal === undefined) return result;
  return fail(`http_${result.status}`, redact(describeAnswer(result, refusal ?? "")));
}

/** A failure with this code and these words. */
export function fail(code: string, message: string): ConnectionFailure {
  return { outcome: "failed", code, message };
}

/** A success whose body lacks what it promises. */
export const unusableAnswer: ConnectionFailure = fail(
  "malformed_answer",
  "The provider's response is unusable.",
);

/** The gateway has no session of the instance's name, as it says itself. */
export const absentSession: ConnectionFailure = fail(
  "session_not_found",
  "The gateway has no session of this name.",
);
