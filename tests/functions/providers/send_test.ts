import type { Receipt } from "../../../shared/providers/provider.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import {
  findClosedBaseUrl,
  type ProviderDouble,
  withBrokenDouble,
  withProviderDouble,
  withSecondRequestLost,
  withSilentDouble,
} from "./provider_double.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { documentedMessage as message } from "../../support/providers/facts.ts";
import { connect, type ProviderCase, providerCases } from "./provider_cases.ts";

/** A time-out long enough never to be reached in tests of other faults. */
const AMPLE_MS = 30_000;
/** A time-out that the test ends: see `holdTimers`. */
const HELD_MS = 20_123;
/** A time-out that is reached. */
const SHORT_MS = 400;

async function send(
  providerCase: ProviderCase,
  double: ProviderDouble,
  timeoutMs: number,
): Promise<Receipt> {
  const provider = await connect(providerCase, double.baseUrl);
  return await provider.send(message, { timeoutMs });
}

interface Fault {
  readonly name: string;
  readonly timeoutMs: number;
  /** When a time-out that the test ends comes. */
  readonly end?: "silent" | "in_body";
  /** Serves the fault while `run` lasts. */
  readonly serve: (run: (double: ProviderDouble) => Promise<void>) => Promise<void>;
  readonly receipt: Receipt;
}

function answerFault(name: string, answer: () => Response, receipt: Receipt): Fault {
  return { name, timeoutMs: AMPLE_MS, serve: (run) => withProviderDouble(answer, run), receipt };
}

const noMessageId: Receipt = { outcome: "unknown", reason: "answer_without_message_id" };

function refused(
  status: number,
  retry: { retryable: boolean; retryAfterMs?: number },
): Receipt {
  return {
    outcome: "rejected",
    code: `http_${status}`,
    message: `The provider answered with HTTP status ${status}.`,
    scope: "instance",
    ...retry,
  };
}

/** A body that begins and never ends. */
function stalledBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) });
}

const faults: readonly Fault[] = [
  {
    name: "a connection lost after the request was written",
    timeoutMs: AMPLE_MS,
    serve: (run) => withBrokenDouble("", run),
    receipt: { outcome: "unknown", reason: "connection_lost" },
  },
  {
    name: "an answer that breaks off in its headers",
    timeoutMs: AMPLE_MS,
    serve: (run) => withBrokenDouble("HTTP/1.1 200 OK\r\ncontent-le", run),
    receipt: { outcome: "unknown", reason: "connection_lost" },
  },
  {
    name: "a success that breaks off in its body",
    timeoutMs: AMPLE_MS,
    serve: (run) =>
      withBrokenDouble('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"messageId":"D2', run),
    receipt: noMessageId,
  },
  {
    name: "no answer in time",
    timeoutMs: HELD_MS,
    end: "silent",
    serve: withSilentDouble,
    receipt: { outcome: "unknown", reason: "timed_out" },
  },
  {
    name: "a success whose body never ends",
    timeoutMs: HELD_MS,
    end: "in_body",
    serve: (run) => withProviderDouble(() => new Response(stalledBody()), run),
    receipt: noMessageId,
  },
  {
    name: "a refusal whose body never ends",
    timeoutMs: HELD_MS,
    end: "in_body",
    serve: (run) => withProviderDouble(() => new Response(stalledBody(), { status: 401 }), run),
    receipt: refused(401, { retryable: false }),
  },
  answerFault(
    "a success that is not JSON",
    () => new Response("<html>Bem-vindo</html>", { headers: { "content-type": "text/html" } }),
    noMessageId,
  ),
  answerFault("a success without a body", () => new Response(null, { status: 204 }), noMessageId),
  answerFault(
    "a redirect",
    () => new Response(null, { status: 307, headers: { location: "/elsewhere" } }),
    refused(307, { retryable: false }),
  ),
  answerFault(
    "HTTP 429 with Retry-After",
    () => new Response("{}", { status: 429, headers: { "retry-after": "2" } }),
    refused(429, { retryable: true, retryAfterMs: 2_000 }),
  ),
  answerFault("HTTP 500", () => new Response("<html>", { status: 500 }), {
    outcome: "unknown",
    reason: "http_500",
  }),
  answerFault(
    "HTTP 503",
    () => new Response("<html>", { status: 503 }),
    refused(503, { retryable: true }),
  ),
];

for (const providerCase of providerCases) {
  Deno.test(`${providerCase.kind}: an accepted message is one documented request`, async () => {
    const { status, json } = providerCase.success;
    await withProviderDouble(() => Response.json(json, { status }), async (double) => {
      const receipt = await send(providerCase, double, AMPLE_MS);
      assertEquals(receipt, providerCase.accepted);
      assertEquals(double.requests.length, 1);
      const [request] = double.requests;
      assert(request !== undefined);
      assertEquals(request.method, "POST");
      assertEquals(request.path, providerCase.path);
      assertEquals(request.body, providerCase.body);
      assertEquals(request.headers.get("content-type"), "application/json");
      for (const [name, value] of Object.entries(providerCase.headers)) {
        assertEquals(request.headers.get(name), value);
      }
    });
  });

  Deno.test(`${providerCase.kind}: a base URL may have a path and a trailing slash`, async () => {
    const { status, json } = providerCase.success;
    await withProviderDouble(() => Response.json(json, { status }), async (double) => {
      const provider = await connect(providerCase, `${double.baseUrl}/under/here//`);
      await provider.send(message, { timeoutMs: AMPLE_MS });
      assertEquals(double.requests[0]?.path, `/under/here${providerCase.path}`);
    });
  });

  Deno.test(`${providerCase.kind}: a send to an unreachable provider may be retried`, async () => {
    // Newer runtimes refuse to call port 1.
    for (const baseUrl of [findClosedBaseUrl(), "http://127.0.0.1:1"]) {
      const provider = await connect(providerCase, baseUrl);
      assertEquals(await provider.send(message, { timeoutMs: AMPLE_MS }), {
        outcome: "rejected",
        code: "provider_unreachable",
        message: "No connection to the provider could be made.",
        retryable: true,
        scope: "instance",
        isOutage: true,
      });
    }
  });

  for (const fault of faults) {
    Deno.test(`${providerCase.kind}: ${fault.name} is one call and an accurate receipt`, async () => {
      await fault.serve(async (double) => {
        using timeouts = holdTimers(HELD_MS);
        if (fault.end === "in_body") timeouts.endWhenAnswered();
        const sending = send(providerCase, double, fault.timeoutMs);
        if (fault.end === "silent") {
          await waitUntil(() => double.requests.length === 1, { what: "the call" });
          timeouts.end();
        }
        assertEquals(await sending, fault.receipt);
        assertEquals(double.requests.length, 1);
      });
    });
  }

  Deno.test(`${providerCase.kind}: an endless answer is not read to its end`, async () => {
    let byteCount = 0;
    const flood = (): Response =>
      new Response(
        new ReadableStream({
          pull(body): void {
            byteCount += 65_536;
            body.enqueue(new Uint8Array(65_536).fill(32));
          },
        }),
      );
    await withProviderDouble(flood, async (double) => {
      assertEquals(await send(providerCase, double, AMPLE_MS), noMessageId);
    });
    // 256 KiB are read; buffers on the way may hold the rest.
    assert(byteCount < 32 * 1_024 * 1_024, `${byteCount} bytes were sent`);
  });

  Deno.test(`${providerCase.kind}: a lost kept-alive connection sends nothing twice`, async () => {
    await withSecondRequestLost(providerCase.success.json, async (double) => {
      const receipts: Receipt[] = [];
      // Repeats, because the runtime decides when a connection is reused.
      while (receipts.length < 50 && receipts.at(-1)?.outcome !== "unknown") {
        receipts.push(await send(providerCase, double, AMPLE_MS));
      }
      assertEquals(receipts.at(-1), { outcome: "unknown", reason: "connection_lost" });
      assertEquals(double.requests.length, receipts.length);
    });
  });

  Deno.test(`${providerCase.kind}: a refusal repeats neither credential nor number`, async () => {
    const { secrets } = providerCase;
    const words = `invalid ${secrets.join(" or ")} for ${message.to}@s.whatsapp.net`;
    const body = providerCase.kind === "whatsapp_cloud"
      ? { error: { message: words, code: 999_999, error_data: { details: words } } }
      : { error: words, message: words, response: { message: [words] } };
    await withProviderDouble(() => Response.json(body, { status: 400 }), async (double) => {
      const text = JSON.stringify(await send(providerCase, double, AMPLE_MS));
      assert(text.includes("invalid [redacted]"), text);
      for (const secret of [...secrets, message.to, message.to.slice(-8)]) {
        assert(!text.includes(secret), text);
      }
    });
  });
}

Deno.test("evolution: the time that the provider shows typing does not count as a time-out", async () => {
  const evolution = providerCases.find(({ kind }) => kind === "evolution");
  assert(evolution !== undefined);
  const { status, json } = evolution.success;
  const answerLate = async (): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_MS));
    return Response.json(json, { status });
  };
  await withProviderDouble(answerLate, async (double) => {
    const provider = await connect(evolution, double.baseUrl);
    const options = { timeoutMs: SHORT_MS };
    const typing = await provider.send({ ...message, delayTypingMs: AMPLE_MS }, options);
    assertEquals(typing, evolution.accepted);
    assertEquals(double.requests[0]?.body, {
      number: message.to,
      text: message.content.message,
      delay: 20_000,
    });
    assertEquals(await provider.send(message, options), {
      outcome: "unknown",
      reason: "timed_out",
    });
  });
});
