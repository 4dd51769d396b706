/** A receiver of the product's own webhooks, to which an endpoint can be pointed. */
import { Hono } from "hono";
import * as z from "zod";
import type { SimulatorContext } from "./context.ts";
import { withBody } from "./json_request.ts";
import { type SignatureVerdict, verifyCall } from "./webhook_verification.ts";

/** A secret that the receiver verifies with, as the API showed it. */
export const receiverSecretSchema = z.object({
  secret: z.string().regex(
    /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  ),
});

/** What the receiver answers from now on. 204 stands for 401 where the signature is not right. */
export const receiverAnswerSchema = z.object({
  status: z.union([z.literal(204), z.literal(500), z.literal(410)]),
});

/** As many as an instance has endpoints, with room for replaced ones. */
const secretCapacity = 20;

/**
 * `POST /webhook-receiver` takes the calls; `/receiver-secrets` and `/receiver-answer` tell it what
 * to verify with and what to answer; all below `/simulator`. Its log is `/receiver-calls`.
 */
export function createWebhookReceiver(simulator: SimulatorContext): Hono {
  const app = new Hono();
  let secrets: readonly string[] = [];
  let status: z.infer<typeof receiverAnswerSchema>["status"] = 204;

  app.post("/webhook-receiver", async ({ req }) => {
    const read = (name: string): string => req.header(`webhook-${name}`) ?? "";
    const call = {
      ...{ id: read("id"), timestamp: read("timestamp"), signature: read("signature") },
      body: await req.text(),
    };
    const verdict = await verifyCall(call, secrets, simulator.store.now());
    const answeredStatus = chooseStatus(verdict, status);
    simulator.store.addReceiverCall({
      ...{ webhookId: call.id, webhookTimestamp: call.timestamp, verdict, answeredStatus },
      body: parseJson(call.body),
    });
    return new Response(null, { status: answeredStatus });
  });
  app.post(
    "/receiver-secrets",
    (context) =>
      withBody(context, receiverSecretSchema, ({ secret }) => {
        secrets = [...secrets.filter((one) => one !== secret), secret].slice(-secretCapacity);
        return Response.json({ count: secrets.length }, { status: 201 });
      }),
  );
  app.get("/receiver-answer", () => Response.json({ status }));
  app.post("/receiver-answer", (context) =>
    withBody(context, receiverAnswerSchema, (answer) => {
      status = answer.status;
      return Response.json({ status });
    }));
  return app;
}

/** A receiver that works answers 401 to what it cannot verify. */
function chooseStatus(verdict: SignatureVerdict, told: number): number {
  return told === 204 && verdict !== "verified" ? 401 : told;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
