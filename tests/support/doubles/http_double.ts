/** A double of an outside service: a real HTTP server whose responses the test sets. */

import { startTestServer } from "./test_server.ts";

export interface DoubleRequest {
  readonly method: string;
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
  readonly headers: Headers;
  /** The body; a file in it is garbled, and only its size is right to a few bytes. */
  readonly text: string;
  /** Empty where the request has no JSON body. */
  readonly json: Record<string, unknown>;
  /** Time of arrival, from `performance.now()`. */
  readonly receivedAtMs: number;
}

export type DoubleAnswer = (request: DoubleRequest) => Response | Promise<Response>;

export interface HttpDouble extends AsyncDisposable {
  readonly baseUrl: string;
  /** Every request, in order of arrival. */
  readonly requests: DoubleRequest[];
  /** May be replaced at any time. */
  answer: DoubleAnswer;
}

/**
 * Starts a double, by default on a free port. Disposing stops it and drops pending responses.
 */
export function startHttpDouble(answer: DoubleAnswer, port = 0): HttpDouble {
  const isOver = Promise.withResolvers<Response>();
  const server = startTestServer(async (request) => {
    const text = await request.text();
    const recorded: DoubleRequest = {
      method: request.method,
      path: new URL(request.url).pathname,
      query: new URL(request.url).search,
      headers: request.headers,
      text,
      json: text === "" || isForm(request) ? {} : JSON.parse(text),
      receivedAtMs: performance.now(),
    };
    double.requests.push(recorded);
    return await Promise.race([double.answer(recorded), isOver.promise]);
  }, { port });
  const double: HttpDouble = {
    baseUrl: server.origin,
    requests: [],
    answer,
    [Symbol.asyncDispose]: async () => {
      isOver.resolve(new Response(null, { status: 500 }));
      await server[Symbol.asyncDispose]();
    },
  };
  return double;
}

function isForm(request: Request): boolean {
  return request.headers.get("content-type")?.startsWith("multipart/form-data") === true;
}

/** A response that stays pending until the double is stopped. */
export function answerNever(): Promise<Response> {
  return Promise.withResolvers<Response>().promise;
}

/** An error that leaves the outcome unknown at every provider, without a time-out's wait. */
export function answerUnknown(): Response {
  return new Response("<html>", { status: 500 });
}

/** A success response that fits all three providers. */
export function acceptMessage(request: DoubleRequest): Response {
  const id = `provider-${crypto.randomUUID()}`;
  if (request.path.endsWith("/messages")) {
    return Response.json({
      messaging_product: "whatsapp",
      contacts: [{ input: request.json["to"], wa_id: request.json["to"] }],
      messages: [{ id }],
    });
  }
  if (request.path.startsWith("/message/")) {
    return Response.json({ key: { id, fromMe: true } }, { status: 201 });
  }
  return Response.json({ zaapId: crypto.randomUUID(), messageId: id, id });
}

/** Resend's success response. */
export function acceptEmail(): Response {
  return Response.json({ id: crypto.randomUUID() });
}
