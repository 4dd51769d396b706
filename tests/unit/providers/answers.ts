import type { ReadingContext } from "../../../shared/providers/classification.ts";
import type { HttpAnswer } from "../../../shared/providers/http/call.ts";

/** A fixed time, so that dates in headers can be written down. */
export const nowMs = Date.parse("2026-11-20T12:00:00Z");

/** Reads without redaction, which has tests of its own. */
export const plainReading: ReadingContext = { nowMs, redact: (text) => text };

/** An answer with a JSON body. */
export function jsonAnswer(
  status: number,
  json: unknown,
  headers: Record<string, string> = {},
): HttpAnswer {
  return {
    outcome: "answered",
    status,
    headers: new Headers(headers),
    json,
    text: JSON.stringify(json),
  };
}

/** An answer whose body is not JSON; empty represents a body that could not be read to its end. */
export function textAnswer(status: number, text: string): HttpAnswer {
  return { outcome: "answered", status, headers: new Headers(), json: undefined, text };
}
