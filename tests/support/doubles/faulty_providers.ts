/** Providers that fail once, each in its own way, with the expected outcome of the message. */

import { setTimeout as delay } from "node:timers/promises";
import { startBreakingDouble } from "./breaking_double.ts";
import {
  acceptMessage,
  type DoubleAnswer,
  type DoubleRequest,
  startHttpDouble,
} from "./http_double.ts";

/** Time limit of a provider call in these tests. Late and endless responses last longer. */
export const providerTimeoutMs = 5_000;
export const retryAfterSeconds = 3;

export interface FaultyProvider extends AsyncDisposable {
  readonly baseUrl: string;
  /** Texts of the received messages, one entry per request. */
  receivedTexts(): readonly string[];
}

export interface Ending {
  readonly status: "sent" | "failed" | "unconfirmed";
  readonly requests: number;
}

export interface ProviderFault {
  readonly name: string;
  start(): FaultyProvider | Promise<FaultyProvider>;
  /** Allowed final states of the message, with the number of requests for each. */
  readonly endings: readonly Ending[];
  /** Allowed responses of an immediate send, which is tried once. */
  readonly answers: readonly number[];
}

/** What the providers observed, for the test's assertions. */
export interface FaultWitness {
  /** Requests that followed a redirect. */
  redirected: number;
  /** Number of endless bodies. */
  endlessBytes: number;
  /** Number of endless bodies that the product aborted. */
  brokenOff: number;
}

/** All faults. They report to the witness. */
export function listProviderFaults(witness: FaultWitness): readonly ProviderFault[] {
  const inDoubt: Ending = { status: "unconfirmed", requests: 1 };
  const failsOnce = (name: string, fault: DoubleAnswer): Pick<ProviderFault, "name" | "start"> => ({
    name,
    start: () => startFailingOnce(fault),
  });
  return [
    { ...failsOnce("late answer", answerLate), endings: [inDoubt], answers: [504] },
    {
      ...failsOnce("500", () => new Response("<html>", { status: 500 })),
      endings: [inDoubt],
      answers: [504],
    },
    {
      ...failsOnce("garbage", () => new Response("<html>Bem-vindo")),
      endings: [inDoubt],
      answers: [504],
    },
    {
      ...failsOnce("endless body", () => answerEndlessly(witness, 0)),
      endings: [inDoubt],
      answers: [504],
    },
    {
      ...failsOnce("dripping body", () => answerEndlessly(witness, 50)),
      endings: [inDoubt],
      answers: [504],
    },
    {
      name: "reset before accepting",
      start: () => startBreaking("before_reading"),
      // A reset this early may look like a failed connection, which may be retried.
      endings: [{ status: "unconfirmed", requests: 0 }, { status: "sent", requests: 1 }],
      answers: [504, 502, 200],
    },
    {
      name: "reset after accepting",
      start: () => startBreaking("after_reading"),
      endings: [inDoubt],
      answers: [504],
    },
    {
      ...failsOnce("429 with Retry-After", askForPatience),
      endings: [{ status: "sent", requests: 2 }],
      answers: [502],
    },
    {
      name: "redirect",
      start: () => startRedirecting(witness),
      // The error concerns the whole instance: the queue is held for 10 s and the message is kept.
      endings: [{ status: "sent", requests: 2 }],
      answers: [502],
    },
  ];
}

function startFailingOnce(fault: DoubleAnswer): FaultyProvider {
  const answers: Promise<unknown>[] = [];
  const double = startHttpDouble((request) => {
    const isFirst = double.requests.length === 1;
    const answer = Promise.resolve(isFirst ? fault(request) : acceptMessage(request));
    answers.push(answer);
    return answer;
  });
  return {
    baseUrl: double.baseUrl,
    receivedTexts: () => double.requests.map(readText),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(answers);
      await double[Symbol.asyncDispose]();
    },
  };
}

async function startBreaking(
  moment: Parameters<typeof startBreakingDouble>[0],
): Promise<FaultyProvider> {
  const double = await startBreakingDouble(moment);
  return {
    baseUrl: double.baseUrl,
    receivedTexts: () => double.bodies.map((body) => readText({ json: body })),
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
}

function startRedirecting(witness: FaultWitness): FaultyProvider {
  const elsewhere = startHttpDouble((request) => {
    witness.redirected += 1;
    return acceptMessage(request);
  });
  const provider = startFailingOnce((request) =>
    new Response(null, {
      status: 307,
      headers: { location: `${elsewhere.baseUrl}${request.path}` },
    })
  );
  return {
    ...provider,
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]();
      await elsewhere[Symbol.asyncDispose]();
    },
  };
}

async function answerLate(request: DoubleRequest): Promise<Response> {
  await delay(providerTimeoutMs + 1_000);
  return acceptMessage(request);
}

function askForPatience(): Response {
  return new Response("{}", {
    status: 429,
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** A success whose body never ends: as fast as the reader reads, or slowly. */
function answerEndlessly(witness: FaultWitness, pauseMs: number): Response {
  const part = new TextEncoder().encode(" ".repeat(pauseMs === 0 ? 65_536 : 1));
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      await delay(pauseMs);
      witness.endlessBytes += part.length;
      stream.enqueue(part);
    },
    cancel: () => {
      witness.brokenOff += 1;
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** The text of a text message, in each provider's request format. */
function readText({ json }: Pick<DoubleRequest, "json">): string {
  const text = json["text"];
  if (typeof text === "object" && text !== null && "body" in text) return String(text.body);
  return String(json["message"] ?? text);
}
