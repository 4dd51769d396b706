/** Stand-ins for the mail service and the language model that keep count of what they have done. */

import {
  acceptEmail,
  type DoubleRequest,
  type HttpDouble,
  startHttpDouble,
} from "./http_double.ts";

export interface MailService extends AsyncDisposable {
  readonly baseUrl: string;
  /** Every call, those that were refused or repeated included. */
  calls(): number;
  /** The e-mails that it has sent, by `Idempotency-Key`: what it was first told under it. */
  readonly emails: ReadonlyMap<string, string>;
}

/**
 * A Resend that sends one e-mail a key, and gives its first answer again to a call that repeats one
 * (resend.com documentation, "Idempotency keys").
 *
 * @param interfere answers in its place, or not at all (undefined) once it is done waiting.
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

/** A model that answers everything alike; `interfere` as above. */
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
        message: { role: "assistant", content: "Posso ajudar." },
      }],
    })
  );
}
