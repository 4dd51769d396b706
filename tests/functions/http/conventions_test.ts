import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
} from "../../support/assert.ts";
import {
  type MessagingStack,
  secretKey,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";

const json = { "Content-Type": "application/json" };
const someId = "00000000-0000-4000-8000-000000000000";

/** Every operation of the sending side: how to call it, and what guards it. */
const operations = [
  { method: "POST", path: "/send-message", allow: "OPTIONS, POST", hasBody: true },
  {
    method: "GET",
    path: `/messages-api/messages/${someId}`,
    allow: "DELETE, GET, HEAD, OPTIONS, PATCH",
    hasBody: false,
  },
  {
    method: "DELETE",
    path: `/messages-api/messages/${someId}`,
    allow: "DELETE, GET, HEAD, OPTIONS, PATCH",
    hasBody: false,
  },
  {
    method: "POST",
    path: `/messages-api/messages/${someId}/retry`,
    allow: "OPTIONS, POST",
    hasBody: false,
  },
  { method: "GET", path: "/messages-api/queue", allow: "GET, HEAD, OPTIONS", hasBody: false },
] as const;

Deno.test("every operation wants a token, and says which of missing and invalid it is", async () => {
  await using stack = await startMessagingStack();
  for (const { method, path } of operations) {
    const init = { method, headers: json, ...(method === "POST" ? { body: "{" } : {}) };
    for (const token of [undefined, "", "  "]) {
      const headers: Record<string, string> = token === undefined
        ? json
        : { ...json, "X-Client-Token": token };
      await assertRefused(stack, path, { ...init, headers }, 401, "missing_client_token");
    }
    for (const token of ["mia_x", "'; drop table", "é"]) {
      const headers = { ...json, "X-Client-Token": token };
      await assertRefused(stack, path, { ...init, headers }, 401, "invalid_client_token");
    }
  }
});

Deno.test("a wrong method is 405 with Allow, an unknown path 404, both before any token is asked for", async () => {
  await using stack = await startMessagingStack();
  const paths = new Map(operations.map(({ path, allow }) => [path, allow]));
  for (const [path, allow] of [...paths, ["/dispatch-queue", "OPTIONS, POST"]] as const) {
    for (const method of ["PUT", "PATCH", "GET", "POST", "DELETE"]) {
      if (allow.split(", ").includes(method)) continue;
      const answer = await assertRefused(stack, path, { method }, 405, "method_not_allowed");
      assertEquals(answer.headers.get("allow"), allow, `${method} ${path}`);
    }
  }
  for (const path of ["/send-message/x", "/messages-api", "/messages-api/x", "/dispatch-queue/x"]) {
    await assertRefused(stack, path, { method: "POST" }, 404, "not_found");
  }
});

Deno.test("a trailing slash is the same path", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const answer = await stack.request("/send-message/", {
    method: "POST",
    headers: { ...json, "X-Client-Token": tenant.token },
    body: JSON.stringify({
      instanceId: tenant.instanceId,
      phone: "5511987654321",
      messageType: "text",
      message: "x",
    }),
  });
  assertEquals(answer.status, 200);
});

Deno.test("a body that is not JSON, not an object or not declared as JSON is refused", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const post = (body: BodyInit, contentType: string | null, status: number, error: string) =>
    assertRefused(
      stack,
      "/send-message",
      {
        method: "POST",
        headers: {
          "X-Client-Token": tenant.token,
          ...(contentType === null ? {} : { "Content-Type": contentType }),
        },
        body,
      },
      status,
      error,
    );
  for (const body of ["", "{", "nothing", "[]", "null", '"text"', "5", "{} {}", "{'a':1}"]) {
    await post(body, "application/json", 400, "invalid_json");
  }
  const latin1 = Uint8Array.from('{"message":"Olá"}', (character) => character.charCodeAt(0));
  await post(latin1, "application/json; charset=iso-8859-1", 400, "invalid_json");
  await post("{}", "application/json; charset=utf-8", 400, "invalid_request");
  await post("{}", "Application/JSON", 400, "invalid_request");
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]) {
    await post("{}", type, 415, "unsupported_media_type");
  }
  await post(new Uint8Array([123, 125]), null, 415, "unsupported_media_type");
});

Deno.test("a body over 256 KiB is 413, declared or streamed; one of 256 KiB is read", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const headers = { ...json, "X-Client-Token": tenant.token };
  const body = (size: number): string => `{"x":"${"a".repeat(size - 8)}"}`;
  const declared = (text: string): RequestInit => ({
    method: "POST",
    headers: { ...headers, "Content-Length": String(text.length) },
    body: text,
  });
  const streamed = (text: string): RequestInit => ({
    method: "POST",
    headers,
    body: new Blob([text]).stream(),
  });
  for (const init of [declared, streamed]) {
    await assertRefused(stack, "/send-message", init(body(262_145)), 413, "payload_too_large");
    await assertRefused(stack, "/send-message", init(body(262_144)), 400, "invalid_request");
  }
  assertEquals(stack.logLines.filter(({ level }) => level === "error"), []);
});

Deno.test("JSON nested beyond all sense is refused, not a defect", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const depth of [1_000, 100_000]) {
    for (const key of [{}, { "Idempotency-Key": "deep" }] as Record<string, string>[]) {
      const answer = await stack.request("/send-message", {
        method: "POST",
        headers: { ...json, "X-Client-Token": tenant.token, ...key },
        body: `{"instanceId":"${tenant.instanceId}","phone":"5511987654321","messageType":"text",` +
          `"message":"x","unknown":${"[".repeat(depth)}${"]".repeat(depth)}}`,
      });
      assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
    }
  }
});

Deno.test("text that Postgres cannot hold is refused in a query and a path too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (
    const [path, error] of [
      ["/queue?instanceId=%00", "Instance not found"],
      [`/queue?instanceId=${tenant.instanceId}%00`, "Instance not found"],
      ["/messages/%00", "message_not_found"],
      [`/messages/${someId}%00`, "message_not_found"],
    ] as const
  ) {
    const answer = await stack.messages(tenant, "GET", path);
    assertEquals([answer.status, answer.body.error], [404, error], path);
  }
});

Deno.test("CORS preflight is answered for every operation without a token", async () => {
  await using stack = await startMessagingStack();
  for (const { path, method } of operations) {
    const answer = await stack.request(path, {
      method: "OPTIONS",
      headers: {
        "Origin": "https://app.example.com",
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "x-client-token, content-type, idempotency-key",
      },
    });
    assertEquals(answer.status, 204);
    assertEquals(answer.headers.get("access-control-allow-origin"), "*");
    const allowed = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase();
    for (const header of ["x-client-token", "content-type", "idempotency-key"]) {
      assert(allowed.split(/, ?/).includes(header), allowed);
    }
    assert(answer.headers.get("access-control-allow-methods")?.includes(method));
    assertMatch(answer.headers.get("x-request-id") ?? "", /./);
  }
});

Deno.test("every answer carries a request id, the caller's own where it is one, and CORS headers", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (
    const [method, path] of [["POST", "/send-message"], ["GET", "/send-message"], [
      "GET",
      "/messages-api/nothing",
    ], ["GET", `/messages-api/queue?instanceId=${tenant.instanceId}`]] as const
  ) {
    const headers = { "X-Client-Token": tenant.token };
    const own = await stack.request(path, {
      method,
      headers: { ...headers, "X-Request-Id": "abc-1" },
    });
    assertEquals(own.headers.get("x-request-id"), "abc-1");
    const made = await stack.request(path, { method, headers });
    assertNotEquals(made.headers.get("x-request-id") ?? "", "");
    const odd = await stack.request(path, {
      method,
      headers: { ...headers, "X-Request-Id": "<script>" },
    });
    assertFalse((odd.headers.get("x-request-id") ?? "<").includes("<"));
    assertEquals(own.headers.get("access-control-allow-origin"), "*");
    assertMatch(own.headers.get("access-control-expose-headers") ?? "", /x-request-id/i);
  }
});

Deno.test("a defect is a fixed 500 with the request id, and its cause is in the log alone", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.admin`drop function public.accept_message(jsonb)`;
  const answer = await stack.send(tenant, {
    phone: "5511987654321",
    messageType: "text",
    message: "secret words",
  }, { "X-Request-Id": "req-7" });
  assertEquals([answer.status, answer.body.error, answer.body.requestId], [
    500,
    "internal_error",
    "req-7",
  ]);
  assertEquals(Object.keys(answer.body).sort(), [
    "docs",
    "error",
    "message",
    "requestId",
    "success",
  ]);
  const defect = stack.logLines.find(({ event }) => event === "request_failed");
  assertEquals(defect?.fields["requestId"], "req-7");
  assertFalse(JSON.stringify(stack.logLines).includes("secret words"));
});

Deno.test("dispatch-queue opens with the project's secret key alone and checks its bounds", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const headers of [{}, { apikey: "wrong" }, { "X-Client-Token": tenant.token }]) {
    await assertRefused(
      stack,
      "/dispatch-queue?maxSeconds=x",
      { method: "POST", headers: headers as Record<string, string> },
      401,
      "invalid_secret_key",
    );
  }
  for (const query of ["maxSeconds=0", "maxSeconds=121", "maxSeconds=x", "maxMessages=0"]) {
    await assertRefused(
      stack,
      `/dispatch-queue?${query}`,
      { method: "POST", headers: { apikey: secretKey } },
      400,
      "invalid_request",
    );
  }
  await stack.send(tenant, {
    phone: "5511987654321",
    messageType: "text",
    message: "x",
    delayMessage: 0.001,
  });
  const run = await stack.request("/dispatch-queue?maxSeconds=5&maxMessages=1", {
    method: "POST",
    headers: { apikey: secretKey },
  });
  assertEquals([run.status, run.body.success], [200, true]);
  await stack.finishBackground();
  assertEquals(stack.provider.requests.length, 1);
});

async function assertRefused(
  stack: MessagingStack,
  path: string,
  init: RequestInit,
  status: number,
  error: string,
): Promise<{ headers: Headers }> {
  const answer = await stack.request(path, init);
  const what = `${init.method} ${path}: ${JSON.stringify(answer.body)}`;
  assertEquals(
    [answer.status, answer.body.error, answer.body.success],
    [status, error, false],
    what,
  );
  assert(typeof answer.body.message === "string" && answer.body.message.length > 10, what);
  assertMatch(answer.headers.get("content-type") ?? "", /^application\/json/);
  assertNotEquals(answer.headers.get("x-request-id") ?? "", "");
  return answer;
}

Deno.test("nobody without a good token has a body read, however large it is", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  let pulls = 0;
  const post = (token: string | null, declared?: string): ReturnType<typeof stack.request> => {
    pulls = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        pulls += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    }, { highWaterMark: 0 });
    return stack.request("/send-message", {
      method: "POST",
      headers: {
        ...json,
        ...(token === null ? {} : { "X-Client-Token": token }),
        ...(declared === undefined ? {} : { "Content-Length": declared }),
      },
      body,
    });
  };
  for (const declared of [undefined, "262144", "900000000"]) {
    for (const token of [null, "mia_unknown"]) {
      const refused = await post(token, declared);
      assertEquals([refused.status, pulls], [401, 0], `${declared}`);
    }
  }
  const tooLarge = await post(tenant.token);
  assertEquals([tooLarge.status, pulls], [413, 5], "read no further than the bound");
});
