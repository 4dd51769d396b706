/** Endpoints for what people and Meta decide at the official channel, beside its API. */
import { Hono } from "hono";
import * as z from "zod";
import { withBody } from "../json_request.ts";
import { refuseUnregistered } from "../phone_api.ts";
import { reportArrival } from "../phones.ts";
import type { SimulatedMessage } from "../records.ts";
import {
  accountUpdateSchema,
  composeAccountUpdate,
  readConnectionState,
} from "./account_updates.ts";
import { createBusinessAgentControls } from "./business_agent.ts";
import { composeUserIdChange, userIdChangeSchema } from "./changes.ts";
import type { CloudContext } from "./context.ts";
import { describeFault } from "./errors.ts";
import { reportFailure } from "./failure_report.ts";
import { composeThroughputUpgrade, numberSchema } from "./numbers.ts";
import { priceTableSchema } from "./price_table.ts";
import { createTemplateReviews } from "./template_reviews.ts";

const provider = "whatsapp_cloud";

/** The end of the quality assessment of a message that the channel has held. */
export const qualityAssessmentSchema = z.object({
  instance: z.string().min(1),
  providerMessageId: z.string().min(1),
  outcome: z.enum(["released", "dropped"]),
});

/**
 * `POST /template-reviews` and the like, `/prices`, `/numbers`, `POST /account-updates`,
 * `POST /user-id-changes`, `POST /quality-assessments`, `/business-agents`, `/handovers`, all below `/simulator`.
 */
export function createCloudControls(simulator: CloudContext): Hono {
  const { store, webhooks, connections } = simulator;
  const app = new Hono();
  app.route("/", createTemplateReviews(simulator));
  app.route("/", createBusinessAgentControls(simulator));
  app.get("/prices", (context) => context.json(simulator.billing.prices));
  app.post("/prices", (context) =>
    withBody(context, priceTableSchema, (prices) => {
      simulator.billing.prices = prices;
      return Response.json(prices);
    }));
  app.post("/account-updates", (context) =>
    withBody(context, accountUpdateSchema, (update) => {
      const { instance } = update;
      if (!webhooks.has(provider, instance)) return refuseUnregistered();
      const state = readConnectionState(update);
      if (state !== null) connections.set({ provider, instance, state });
      webhooks.send(provider, instance, composeAccountUpdate(update, store.now().toISOString()));
      store.announce({ type: "faults_changed" });
      return Response.json(update, { status: 201 });
    }));
  app.get("/numbers", (context) => {
    const own = webhooks.list().filter((webhook) => webhook.provider === provider);
    return context.json({
      items: own.map(({ instance }) => ({ instance, ...simulator.numbers.read(instance) })),
    });
  });
  app.post("/numbers", (context) =>
    withBody(context, numberSchema, (change) => {
      const { instance } = change;
      if (!webhooks.has(provider, instance)) return refuseUnregistered();
      if (simulator.numbers.change(change)) {
        const { phone } = connections.session(provider, instance);
        const at = store.now().toISOString();
        webhooks.send(provider, instance, composeThroughputUpgrade(phone, at));
      }
      store.announce({ type: "faults_changed" });
      return Response.json({ instance, ...simulator.numbers.read(instance) });
    }));
  app.post("/user-id-changes", (context) =>
    withBody(context, userIdChangeSchema, (change) => {
      const { instance } = change;
      if (!webhooks.has(provider, instance)) return refuseUnregistered();
      webhooks.send(provider, instance, composeUserIdChange(change, store.now().toISOString()));
      return Response.json(change, { status: 201 });
    }));
  app.post(
    "/quality-assessments",
    (context) =>
      withBody(context, qualityAssessmentSchema, (assessment) => {
        const message = findHeld(simulator, assessment);
        if (message === undefined) return refuseUnheld();
        if (assessment.outcome === "released") void reportArrival(simulator, message);
        else void reportFailure(simulator, message, droppedByMeta);
        return Response.json(assessment);
      }),
  );
  return app;
}

const droppedByMeta = { ...describeFault(132015), details: "The template is paused." };

function findHeld(
  { store: { logs } }: CloudContext,
  { instance, providerMessageId }: z.infer<typeof qualityAssessmentSchema>,
): SimulatedMessage | undefined {
  const isSought = (one: { instance: string; providerMessageId: string }): boolean =>
    one.instance === instance && one.providerMessageId === providerMessageId;
  const [message] = logs.messages.read({
    matches: (one) => isSought(one) && one.provider === provider && one.answer === "held",
    limit: 1,
  }).items;
  const isOver = logs.statuses.read({ matches: isSought, limit: 1 }).total > 0;
  return isOver ? undefined : message;
}

function refuseUnheld(): Response {
  return Response.json({
    error: "message_not_found",
    message: "No message of this id is held: plan a fault of the kind held, and send a template.",
  }, { status: 404 });
}
