import { errorDocsUrl } from "../../../shared/runtime/docs_address.ts";
import { createApp } from "../../../shared/http/create_app.ts";
import { createSecretKeyGuard } from "../../../shared/http/secret_key_guard.ts";
import type { Log } from "../../../shared/runtime/log.ts";
import { assertEquals } from "../../support/assert.ts";

const firstKey = "sb_secret_first_0123456789";
const secondKey = "sb_secret_second_0123456789";
const silentLog: Log = { info: () => {}, error: () => {} };

const app = createApp({
  slug: "guarded",
  log: silentLog,
  routes: [{
    method: "POST",
    path: "/",
    handlers: [
      createSecretKeyGuard({ default: firstKey, cron: secondKey }),
      (context) => Promise.resolve(context.json({ success: true })),
    ],
  }],
});

async function post(headers: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const response = await app.request("/guarded", { method: "POST", headers, body: "{" });
  return { status: response.status, body: await response.json() };
}

const refusal = {
  status: 401,
  body: {
    success: false,
    error: "invalid_secret_key",
    message: "Send the project's secret key in the apikey header.",
    docs: errorDocsUrl("invalid_secret_key"),
  },
};

// Without permissions: the keys must be those given, with no look at the environment.
Deno.test("every secret key of the project opens", { permissions: "none" }, async () => {
  for (const apikey of [firstKey, secondKey]) {
    assertEquals(await post({ apikey }), { status: 200, body: { success: true } });
  }
});

Deno.test("anything but a secret key is refused with 401 before the body is looked at", {
  permissions: "none",
}, async () => {
  assertEquals(await post({}), refusal);
  for (const apikey of ["", "unused", "default", firstKey.slice(0, -1), `${firstKey}x`]) {
    assertEquals(await post({ apikey }), refusal);
  }
  assertEquals(await post({ authorization: `Bearer ${firstKey}` }), refusal);
  assertEquals(await post({ "x-client-token": firstKey }), refusal);
});

Deno.test("an Authorization header beside the right key does not matter", {
  permissions: "none",
}, async () => {
  const answer = await post({ apikey: firstKey, authorization: "Bearer not-a-jwt" });
  assertEquals(answer.status, 200);
});
