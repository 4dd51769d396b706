/** Repeated calls whose work is done at a channel, and not in the transaction that keeps its outcome. */
import { assertEquals } from "../../support/assert.ts";
import { answerUnknown } from "../../support/doubles/http_double.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const phone = "5511977776666";
const blocked = (): Response => Response.json({ value: true });
const refused = (): Response => Response.json({ value: false });

Deno.test("a block with a key asks the channel once, and again while the channel refuses", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const cases: [string | null, () => Response, string, boolean, number][] = [
    ["a", refused, "refused", false, 1],
    ["a", answerUnknown, "refused", false, 2],
    ["a", blocked, "blocked", false, 3],
    ["a", refused, "blocked", true, 3],
    ["b", refused, "refused", false, 4],
    [null, blocked, "blocked", false, 5],
    [null, blocked, "blocked", false, 6],
  ];
  for (const [key, respond, channel, isReplay, asked] of cases) {
    stack.provider.answer = respond;
    const headers: Record<string, string> = key === null ? {} : { "Idempotency-Key": key };
    const answer = await stack.post(tenant, "/contacts-api/block", { phone }, headers);
    assertEquals(
      [answer.status, answer.body.channel, answer.headers.has("idempotent-replayed")],
      [200, channel, isReplay],
    );
    assertEquals(stack.provider.requests.length, asked);
  }
  for (
    const [path, body] of [
      ["/contacts-api/unblock", { phone }],
      ["/contacts-api/block", { phone: "5511900000000" }],
    ] as const
  ) {
    const answer = await stack.post(tenant, path, body, { "Idempotency-Key": "a" });
    assertEquals([answer.status, answer.body.error], [422, "idempotency_key_reused"]);
  }
  assertEquals(stack.provider.requests.length, 6);
});

Deno.test("equal calls at once with a key are answered alike, whichever of them the channel has heard", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.provider.answer = blocked;
  const answers = await Promise.all(
    Array.from(
      { length: 8 },
      () => stack.post(tenant, "/contacts-api/block", { phone }, { "Idempotency-Key": "once" }),
    ),
  );
  assertEquals(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  assertEquals(answers.filter(({ headers }) => !headers.has("idempotent-replayed")).length, 1);
});
