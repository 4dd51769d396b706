import type { SimulatorContext } from "./context.ts";
import type { Fault, FaultTarget } from "./faults.ts";
import type { Answer } from "./records.ts";
import { waitUnlessClosing } from "./waits.ts";

/** The documented errors of one service. */
export interface ErrorFormat {
  reject(fault: Fault): Response;
  rateLimit(fault: Fault): Response;
  serverError(fault: Fault): Response;
  /** Where the service keeps a session that can be lost. */
  disconnected?(): Response;
}

/**
 * Answers a valid send; refuses it while the instance's connection is lost. `keep` records the
 * message and builds the service's acceptance. A planned fault that matches the target replaces the
 * acceptance; `keep` then runs only if the fault delivers the message.
 */
export async function answerSend(
  simulator: SimulatorContext,
  target: FaultTarget,
  errorFormat: ErrorFormat,
  keep: (answer: Answer) => Response,
): Promise<Response> {
  if (simulator.connections.isLost(target.provider, target.instance)) {
    const refusal = errorFormat.disconnected?.();
    if (refusal !== undefined) return refusal;
  }
  const fault = simulator.faults.take(target);
  if (fault === undefined) return keep("accepted");
  simulator.store.announce({ type: "faults_changed" });
  if (fault.kind === "held") return keep("held");
  if (fault.delivered) keep(fault.kind);
  switch (fault.kind) {
    case "reject":
      return errorFormat.reject(fault);
    case "rate_limit":
      return errorFormat.rateLimit(fault);
    case "server_error":
      return errorFormat.serverError(fault);
    case "timeout":
      await waitUnlessClosing(simulator.timeoutHoldMs, simulator.closing);
      return new Response("upstream request timeout", { status: 504 });
    case "reset":
      return answerWithReset();
    case "garbage":
      return answerWithGarbage();
  }
}

/** `Retry-After` in seconds, if the fault sets one. */
export function retryAfterHeader(fault: Fault): Record<string, string> {
  return fault.retryAfterSeconds === undefined
    ? {}
    : { "Retry-After": String(fault.retryAfterSeconds) };
}

/** Sends the status line and announces a body, then breaks the connection before the first byte. */
function answerWithReset(): Response {
  const emptyBody = new ReadableStream({
    pull(controller): void {
      controller.close();
    },
  });
  return new Response(emptyBody, {
    headers: { "Content-Type": "application/json", "Content-Length": "512" },
  });
}

/** The answer of a captive portal or an intermediate proxy: an HTML page with status 200. */
function answerWithGarbage(): Response {
  return new Response("<!doctype html><title>Welcome</title><h1>It works!</h1>", {
    headers: { "Content-Type": "text/html; charset=utf-8" },
  });
}
