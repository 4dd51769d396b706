/** Providers that fail once, each in its own way, and what must become of the message they met. */

import { setTimeout as delay } from "node:timers/promises";
import { startBreakingDouble } from "./breaking_double.ts";
import {
  acceptMessage,
  type DoubleAnswer,
  type DoubleRequest,
  startHttpDouble,
} from "./http_double.ts";

/** Bound on a provider call in these tests; whatever is late or endless goes on for longer. */
export const providerTimeoutMs = 3_000;
export const retryAfterSeconds = 3;

export interface FaultyProvider extends AsyncDisposable {
  readonly baseUrl: string;
  /** Texts of the messages it was sent, each time. */
  receivedTexts(): readonly string[];
}

export interface Ending {
  readonly status: "sent" | "failed" | "unconfirmed";
  readonly requests: number;
}

export interface ProviderFault {
  readonly name: string;
  start(): FaultyProvider | Promise<FaultyProvider>;
  /** How the message that met the fault may end, and how often the provider was sent it then. */
  readonly endings: readonly Ending[];
  /** What the caller of an immediate send may be told, which is tried once. */
  readonly answers: readonly number[];
}

/** What its other side saw of the faults, for the test to look at. */
export interface FaultWitness {
  /** Requests that came where a redirect pointed. */
  redirected: number;
  /** Of bodies without an end. */
  endlessBytes: number;
  /** Of bodies without an end, how many our side has broken off. */
  brokenOff: number;
}

/** Every fault; what they see is told to the witness. */
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
      // This early it may pass for a connection that never came about: that may be tried again.
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
      // It says so of every message: the queue is held for ten seconds, and the message not lost.
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

/** A success whose body goes on until the reader has had enough: as fast as it reads, or in drops. */
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

/** A text message's words, wherever the provider has them. */
function readText({ json }: Pick<DoubleRequest, "json">): string {
  const text = json["text"];
  if (typeof text === "object" && text !== null && "body" in text) return String(text.body);
  return String(json["message"] ?? text);
}
