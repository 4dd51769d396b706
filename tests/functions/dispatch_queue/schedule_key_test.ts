import type { Hono } from "hono";
import { parseConfig } from "../../../shared/runtime/config.ts";
import { createAdminApp } from "../../../functions/admin-api/app.ts";
import { createDispatchQueueApp } from "../../../functions/dispatch-queue/app.ts";
import { createMetricsApp } from "../../../functions/metrics/app.ts";
import { assertEquals } from "../../support/assert.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { environment } from "../../support/stack/function_process.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const main = "sb_secret_of_the_administrators_01234";
const cron = "sb_secret_of_the_schedule_0123456789";

Deno.test("the key named cron opens dispatch-queue and nothing else; the other keys open everything", async () => {
  await using stack = await startMessagingStack();
  const { secretKeys, dispatcherKeys } = parseConfig({
    ...environment,
    DATABASE_URL: stack.testDatabase.url,
    SUPABASE_SECRET_KEY: undefined,
    SUPABASE_SECRET_KEYS: JSON.stringify({ cron, main }),
  });
  const services = { ...stack.services, vault: testVault, allowsPrivateHosts: false, secretKeys };
  const ask = async (app: Hono, method: string, path: string): Promise<number[]> => {
    const statuses: number[] = [];
    for (const apikey of [main, cron]) {
      const answer = await callApp(app, path, { method, headers: { apikey } });
      await answer.body?.cancel();
      statuses.push(answer.status);
    }
    return statuses;
  };
  const dispatcher = createDispatchQueueApp({ ...services, deliverAgentReply, dispatcherKeys });
  assertEquals(await ask(dispatcher, "POST", "/dispatch-queue?maxSeconds=1"), [200, 200]);
  await stack.finishBackground();
  const admin = createAdminApp(services);
  for (const path of ["workspaces", "instances", "health", "outbox", "queue/holds"]) {
    assertEquals(await ask(admin, "GET", `/admin-api/${path}`), [200, 401], path);
  }
  assertEquals(await ask(createMetricsApp(services), "GET", "/metrics"), [200, 401]);
});

const deliverAgentReply = (): Promise<never> => Promise.reject(new Error("no reply is expected"));
