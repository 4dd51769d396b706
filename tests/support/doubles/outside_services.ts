/** Doubles of the mail service and the language model that count their work. */

import {
  acceptEmail,
  type DoubleRequest,
  type HttpDouble,
  startHttpDouble,
} from "./http_double.ts";

export interface MailService extends AsyncDisposable {
  readonly baseUrl: string;
  /** All calls, including rejected and repeated ones. */
  calls(): number;
  /** Sent e-mails by `Idempotency-Key`: the first request with each key. */
  readonly emails: ReadonlyMap<string, string>;
}

/**
 * A double of Resend. It sends one e-mail per key and repeats its first response to a repeated call
 * (resend.com documentation, "Idempotency keys").
 *
 * @param interfere may respond instead of the double, or return undefined to let it respond.
 */
export function startMailService(
  interfere: () => Promise<Response | undefined>,
): MailService {
  const emails = new Map<string, string>();
  const double = startHttpDouble(async (request) => {
    const refusal = await interfere();
    if (refusal !== undefined) return refusal;
    const key = request.headers.get("idempotency-key");
    const body = JSON.stringify(request.json);
    if (key === null) return Response.json({ name: "missing_required_field" }, { status: 422 });
    if ((emails.get(key) ?? body) !== body) {
      return Response.json({ name: "invalid_idempotent_request" }, { status: 409 });
    }
    emails.set(key, body);
    return acceptEmail();
  });
  return {
    baseUrl: double.baseUrl,
    calls: () => double.requests.length,
    emails,
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
}

/** What the model answers. */
export const agentReply = "Posso ajudar.";

/** A model that always gives the same answer; `interfere` as above. */
export function startChatModel(
  interfere: (request: DoubleRequest) => Promise<Response | undefined>,
): HttpDouble {
  return startHttpDouble(async (request) =>
    await interfere(request) ?? Response.json({
      id: "completion",
      object: "chat.completion",
      choices: [{
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: agentReply },
      }],
    })
  );
}
