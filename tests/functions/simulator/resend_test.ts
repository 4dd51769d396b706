import { Resend } from "resend";
import { assertEquals, assertNotEquals, assertObjectMatch } from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";

const email = {
  from: "Desk <desk@example.com>",
  to: ["ana@example.com"],
  subject: "New conversation",
  html: "<p>Hello</p>",
};
const bearer = { Authorization: "Bearer re_1" };

Deno.test("an e-mail from Resend's own client is stored whole, with its key", async () => {
  await using server = startSimulator();
  const resend = new Resend("re_1", { baseUrl: `${server.url}/resend` });
  const { data, error } = await resend.emails.send(email, { idempotencyKey: "assignment/1" });
  assertEquals(error, null);
  const { items, total } = await server.read("/emails");
  assertEquals(total, 1);
  assertObjectMatch(items[0] ?? {}, {
    ...email,
    emailId: data?.id,
    idempotencyKey: "assignment/1",
    answer: "accepted",
  });
});

Deno.test("the same Idempotency-Key with the same body gives the same id and one e-mail", async () => {
  await using server = startSimulator();
  const headers = { ...bearer, "Idempotency-Key": "k" };
  const first = await server.post("/resend/emails", email, headers);
  const second = await server.post("/resend/emails", email, headers);
  assertEquals(second.json, first.json);
  assertEquals((await server.read("/emails")).total, 1);
  const other = await server.post("/resend/emails", email, { ...bearer, "Idempotency-Key": "l" });
  assertNotEquals(other.json, first.json);
  assertEquals((await server.read("/emails")).total, 2);
});

Deno.test("the same Idempotency-Key with another body is 409 invalid_idempotent_request", async () => {
  await using server = startSimulator();
  const headers = { ...bearer, "Idempotency-Key": "k" };
  await server.post("/resend/emails", email, headers);
  const second = await server.post("/resend/emails", { ...email, subject: "Other" }, headers);
  assertEquals(second.status, 409);
  assertObjectMatch(second.json as object, { statusCode: 409, name: "invalid_idempotent_request" });
  assertEquals((await server.read("/emails")).total, 1);
});

Deno.test("an Idempotency-Key is free again after 24 hours", async () => {
  let now = new Date("2026-01-01T00:00:00Z");
  await using server = startSimulator({ now: () => now });
  const headers = { ...bearer, "Idempotency-Key": "k" };
  await server.post("/resend/emails", email, headers);
  now = new Date("2026-01-02T00:00:00Z");
  const second = await server.post("/resend/emails", { ...email, subject: "Other" }, headers);
  assertEquals(second.status, 200);
  assertEquals((await server.read("/emails")).total, 2);
});

Deno.test("an e-mail whose answer was lost is not stored twice when it is retried with its key", async () => {
  await using server = startSimulator({ timeoutHoldMs: 1 });
  await server.post("/faults", { provider: "resend", kind: "timeout", to: "ANA@example.com" });
  const headers = { ...bearer, "Content-Type": "application/json", "Idempotency-Key": "k" };
  const lost = await fetch(`${server.url}/resend/emails`, {
    method: "POST",
    headers,
    body: JSON.stringify(email),
  });
  await lost.body?.cancel();
  assertEquals(lost.status, 504);
  assertEquals((await server.post("/resend/emails", email, headers)).status, 200);
  const { items } = await server.read("/emails");
  assertEquals(items.map((item) => item.answer), ["timeout"]);
});

Deno.test("Resend's refusals carry statusCode and name, and nothing is stored", async () => {
  await using server = startSimulator();
  const { html: _, ...bodiless } = email;
  const wrong: readonly (readonly [unknown, Record<string, string>, number, string])[] = [
    [email, {}, 401, "missing_api_key"],
    [email, { ...bearer, "Idempotency-Key": "k".repeat(257) }, 400, "invalid_idempotency_key"],
    [{ ...email, subject: undefined }, bearer, 422, "missing_required_field"],
    [bodiless, bearer, 422, "missing_required_field"],
    [{ ...email, to: ["ana"] }, bearer, 422, "validation_error"],
    ["no json", bearer, 400, "validation_error"],
  ];
  for (const [body, headers, statusCode, name] of wrong) {
    const { status, json } = await server.post("/resend/emails", body, headers);
    assertEquals(status, statusCode);
    assertObjectMatch(json as object, { statusCode, name });
  }
  assertEquals((await server.read("/emails")).total, 0);
});

Deno.test("a planned rate limit answers with Retry-After", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "resend", kind: "rate_limit", retryAfterSeconds: 3 });
  const { status, headers, json } = await server.post("/resend/emails", email, bearer);
  assertEquals([status, headers.get("retry-after")], [429, "3"]);
  assertObjectMatch(json as object, { name: "rate_limit_exceeded" });
});
