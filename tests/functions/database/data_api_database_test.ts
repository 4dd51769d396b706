import { shedLoad } from "../../../shared/database/load_shedding.ts";
import { openDataApiDatabase } from "../../../shared/database/data_api_database.ts";
import { DatabaseError } from "../../../shared/database/sqlstates.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { recordOutcome } from "../../../shared/messages/settle.ts";
import { assertEquals, assertInstanceOf, assertMatch } from "../../support/assert.ts";
import { answerNever, startHttpDouble } from "../../support/doubles/http_double.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  withBrokenDouble,
  withProviderDouble,
  withSecondRequestLost,
} from "../providers/provider_double.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";
import { type HeldTimers, holdTimers } from "../../support/held_timers.ts";

const secretKey = "sb_secret_of_the_data_api_tests_012";

Deno.test("a call is one POST with the secret key and the request as its only argument", async () => {
  await withProviderDouble(
    () => Response.json({ done: true }),
    async ({ baseUrl, requests }) => {
      const result = await callUntyped(openDataApiDatabase(baseUrl, secretKey), "do_it", {
        a: "ção",
      });
      assertEquals(result, { done: true });
      assertEquals(requests.length, 1);
      assertEquals(requests[0]?.method, "POST");
      assertEquals(requests[0]?.path, "/rest/v1/rpc/do_it");
      assertEquals(requests[0]?.body, { request: { a: "ção" } });
      assertEquals(requests[0]?.headers.get("apikey"), secretKey);
      assertEquals(requests[0]?.headers.get("content-type"), "application/json");
    },
  );
});

Deno.test("a call whose kept connection is lost is never sent a second time", async () => {
  await withSecondRequestLost({ done: true }, async ({ baseUrl, requests }) => {
    const database = openDataApiDatabase(baseUrl, secretKey);
    const outcomes: unknown[] = [];
    const call = (): Promise<unknown> =>
      readCode(callUntyped(database, "accept_message", { call: outcomes.length }));
    const lost = { refusal: "service_unavailable" };
    // When a connection goes back for reuse is the runtime's affair, so it is given many chances.
    do outcomes.push(await call()); while (
      outcomes.length < 50 && "result" in Object(outcomes.at(-1))
    );
    assertEquals(outcomes.at(-1), lost);
    assertEquals(
      requests.map(({ body }) => body),
      outcomes.map((_, call) => ({ request: { call } })),
    );
  });
});

Deno.test("an answer that breaks off is service_unavailable, and the call was sent once", async () => {
  const begun = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
  for (const bytes of ["", "HTTP/1.1 200", begun]) {
    await withBrokenDouble(bytes, async ({ baseUrl, requests }) => {
      const database = openDataApiDatabase(baseUrl, secretKey);
      assertEquals(await readCode(callUntyped(database, "accept_message")), {
        refusal: "service_unavailable",
      }, bytes);
      assertEquals(requests.length, 1, bytes);
    });
  }
});

Deno.test("an answer that does not come, or not to its end, is service_unavailable in time, and the call was sent once", async () => {
  const heldMs = 20_123;
  const begun = new TextEncoder().encode("{");
  const answers: readonly ((timeouts: HeldTimers) => Response | Promise<Response>)[] = [
    (timeouts) => {
      timeouts.end();
      return answerNever();
    },
    () => new Response(new ReadableStream({ start: (answer) => answer.enqueue(begun) })),
  ];
  for (const answer of answers) {
    // Ends when the call has come, which on a slow machine takes longer than any short time-out.
    using timeouts = holdTimers(heldMs);
    timeouts.endWhenAnswered();
    await using double = startHttpDouble(() => answer(timeouts));
    const database = openDataApiDatabase(double.baseUrl, secretKey, heldMs);
    assertEquals(await readCode(callUntyped(database, "accept_message")), {
      refusal: "service_unavailable",
    });
    assertEquals(double.requests.length, 1);
  }
});

Deno.test("calls that hang give their places back", async () => {
  await using double = startHttpDouble(answerNever);
  const heldMs = 20_123;
  using timeouts = holdTimers(heldMs);
  const database = shedLoad(openDataApiDatabase(double.baseUrl, secretKey, heldMs), {
    maxCalls: 2,
    waitMs: 60_000,
  });
  const call = (): Promise<unknown> => readCode(callUntyped(database, "authenticate_client"));
  const hung = [call(), call()];
  await waitUntil(() => double.requests.length === 2, { what: "both calls" });
  double.answer = () => Response.json({ tokenId: null });
  const third = call();
  timeouts.end();
  assertEquals(await third, { result: { tokenId: null } });
  assertEquals(await Promise.all(hung), Array(2).fill({ refusal: "service_unavailable" }));
});

Deno.test("an outcome whose recording hangs is recorded by the next try", async () => {
  await using double = startHttpDouble(answerNever);
  const heldMs = 20_123;
  using timeouts = holdTimers(heldMs);
  const database = openDataApiDatabase(double.baseUrl, secretKey, heldMs);
  const log = { info: (): void => {}, error: (): void => {} };
  const recording = recordOutcome({ database, log }, {
    instanceId: crypto.randomUUID(),
    messageId: crypto.randomUUID(),
    claimToken: crypto.randomUUID(),
    receipt: { outcome: "accepted", providerMessageId: "p-1" },
  });
  await waitUntil(() => double.requests.length === 1, { what: "the first try" });
  double.answer = () => Response.json({ settled: [] });
  timeouts.end();
  await recording;
  assertEquals(double.requests.map(({ path }) => path), [
    "/rest/v1/rpc/settle_messages",
    "/rest/v1/rpc/settle_messages",
  ]);
  assertEquals(double.requests[0]?.json, double.requests[1]?.json);
});

const answers: readonly (readonly [what: string, answer: () => Response, outcome: unknown])[] = [
  [
    "a refusal by SQLSTATE",
    () => Response.json({ code: "MI004", message: "message_not_found" }, { status: 400 }),
    { refusal: "message_not_found" },
  ],
  [
    "PostgREST without its database",
    () => Response.json({ code: "PGRST001", message: "no connection" }, { status: 503 }),
    { refusal: "service_unavailable" },
  ],
  [
    "PostgREST that reads its schema",
    () => Response.json({ code: "PGRST002", message: "could not query" }, { status: 503 }),
    { refusal: "service_unavailable", retryAfter: "5" },
  ],
  [
    "PostgREST without a free connection",
    () => Response.json({ code: "PGRST003", message: "timed out" }, { status: 504 }),
    { refusal: "service_unavailable", retryAfter: "5" },
  ],
  [
    "a session that ended during the call, of which PostgREST says nothing",
    () => Response.json({ code: "", details: null, hint: null, message: "" }, { status: 400 }),
    { refusal: "service_unavailable" },
  ],
  [
    "a contact that was merged meanwhile",
    () => Response.json({ code: "MI055", message: "merged meanwhile" }, { status: 400 }),
    { refusal: "service_unavailable" },
  ],
  [
    "two functions of one name",
    () => Response.json({ code: "PGRST203", message: "could not choose" }, { status: 300 }),
    { defect: "PGRST203" },
  ],
  [
    "a session that was ended",
    () => Response.json({ code: "57P01", message: "terminating connection" }, { status: 503 }),
    { refusal: "service_unavailable" },
  ],
  [
    "a database that takes no writes",
    () => Response.json({ code: "25006", message: "read-only transaction" }, { status: 405 }),
    { refusal: "service_unavailable" },
  ],
  [
    "a key that is not known",
    () => Response.json({ message: "Invalid API key" }, { status: 401 }),
    { defect: "HTTP_401" },
  ],
  [
    "a key that opens nothing",
    () => Response.json({ code: "NO_ACCESS", message: "Forbidden" }, { status: 403 }),
    { defect: "HTTP_403" },
  ],
  [
    "a call that a gateway will never pass on",
    () => new Response("<html>Too large</html>", { status: 413 }),
    { defect: "HTTP_413" },
  ],
  [
    "a defect of a SQL function",
    () => Response.json({ code: "XX000", message: "cache lookup failed" }, { status: 500 }),
    { defect: "XX000" },
  ],
  ["a function that is not there", () => Response.json({ code: "PGRST202" }, { status: 404 }), {
    defect: "PGRST202",
  }],
];

/** What PostgREST never answers to a call of a function that returns an object. */
const foreignAnswers: readonly (readonly [what: string, answer: () => Response])[] = [
  ["an empty 404", () => new Response(null, { status: 404 })],
  ["an empty list with status 404", () => Response.json([], { status: 404 })],
  ["nothing with status 200", () => new Response("")],
  ["a page with status 200", () => new Response("<html>Welcome</html>")],
  ["a text with status 200", () => Response.json("done")],
  ["a list with status 200", () => Response.json([{ done: true }])],
  ["null with status 200", () => Response.json(null)],
  ["nothing with status 204", () => new Response(null, { status: 204 })],
  ["an object with status 202", () => Response.json({ done: true }, { status: 202 })],
];

/** What stands before the Data API says so in words of its own. */
const gatewayAnswers = [404, 408, 429, 500, 502, 503, 504, 520, 540].flatMap((status) =>
  [
    "<html>Bad Gateway</html>",
    '{"message":"no upstream"}',
    `{"code":${status},"message":"upstream"}`,
    '{"code":"BOOT_ERROR","message":"no worker"}',
    "null",
  ].map((text) => [`status ${status} with ${text}`, () => new Response(text, { status })] as const)
);

for (
  const [what, answer, outcome] of [
    ...answers,
    ...[...foreignAnswers, ...gatewayAnswers].map((row) =>
      [...row, { refusal: "service_unavailable" }] as const
    ),
  ]
) {
  Deno.test(`${what} is ${Object.values(outcome as object)[0]}`, async () => {
    await withProviderDouble(answer, async ({ baseUrl, requests }) => {
      const database = openDataApiDatabase(baseUrl, secretKey);
      assertEquals(await readCode(callUntyped(database, "get_message")), outcome);
      assertEquals(requests.length, 1);
    });
  });
}

Deno.test("a redirect is not followed: neither the key nor the call goes elsewhere, and nothing counts as done", async () => {
  await using elsewhere = startHttpDouble(() => Response.json({ recorded: 1 }));
  for (const status of [301, 302, 303, 307, 308]) {
    const headers = { location: `${elsewhere.baseUrl}/rest/v1/rpc/record_provider_events` };
    await using double = startHttpDouble(() => new Response(null, { status, headers }));
    const database = openDataApiDatabase(double.baseUrl, secretKey);
    assertEquals(await readCode(callUntyped(database, "record_provider_events")), {
      refusal: "service_unavailable",
    });
  }
  assertEquals(elsewhere.requests, []);
});

async function readCode(call: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await call };
  } catch (error) {
    if (error instanceof AppError) {
      const retryAfter = error.extras.headers?.["Retry-After"];
      if (error.status === 503) assertMatch(retryAfter ?? "", /^[15]$/);
      return { refusal: error.code, ...(retryAfter === "5" ? { retryAfter } : {}) };
    }
    assertInstanceOf(error, DatabaseError);
    return { defect: error.code };
  }
}
