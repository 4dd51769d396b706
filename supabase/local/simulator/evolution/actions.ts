/**
 * What Evolution API v2 takes beside sends, after its chat schema and controllers: read receipts, presence,
 * edits, deletions, blocks. An edit that comes too late is answered like any other and changes nothing.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { deleteSent, editSent, findSent } from "../actions.ts";
import type { SimulatorContext } from "../context.ts";
import { declaresJson, parseValue, readJson } from "../json_request.ts";
import { answerSend, type ErrorFormat } from "../spoiled_answer.ts";
import { waitUnlessClosing } from "../waits.ts";
import { createAddress } from "./messages.ts";

const keySchema = z.object({
  id: z.string().min(1),
  fromMe: z.boolean(),
  remoteJid: z.string().min(1),
});
const schemas = {
  markMessageAsRead: z.object({ readMessages: z.array(keySchema).min(1) }),
  sendPresence: z.object({ number: z.string(), presence: z.string(), delay: z.number() }),
  updateMessage: z.object({ number: z.string(), text: z.string().min(1), key: keySchema }),
  deleteMessageForEveryone: keySchema,
  updateBlockStatus: z.object({ number: z.string(), status: z.enum(["block", "unblock"]) }),
};

/** What the routes share with those of sends. */
export interface EvolutionConventions {
  readonly refuse: (status: number, error: string, message: unknown) => Response;
  readonly wordFlaws: (error: z.ZodError, body: unknown) => string[];
  readonly errorFormat: (number: string) => ErrorFormat;
}

/** WhatsApp edits texts and the captions of pictures and films. */
const editable: readonly string[] = ["text", "image", "video"];

/** The routes `/chat/{verb}/{instanceName}`. */
export function createEvolutionActions(
  simulator: SimulatorContext,
  { refuse, wordFlaws, errorFormat }: EvolutionConventions,
): Hono {
  const app = new Hono();
  const { store } = simulator;
  const on = <Verb extends keyof typeof schemas>(
    method: "POST" | "DELETE",
    verb: Verb,
    answer: (
      body: z.infer<(typeof schemas)[Verb]>,
      instance: string,
    ) => Response | Promise<Response>,
  ): void => {
    app.on(method, `/chat/${verb}/:instance`, async (context: Context) => {
      const request = context.req.raw;
      if (!request.headers.get("apikey")) return refuse(401, "Unauthorized", "Unauthorized");
      const body = declaresJson(request) ? await readJson(request) : {};
      const parsed = parseValue(schemas[verb] as z.ZodType, body);
      if (!parsed.success) return refuse(400, "Bad Request", [wordFlaws(parsed.error, body)]);
      const instance = context.req.param("instance") ?? "";
      if (simulator.connections.isLost("evolution", instance)) {
        return refuse(400, "Bad Request", ["Error: Connection Closed"]);
      }
      return await answer(parsed.data as z.infer<(typeof schemas)[Verb]>, instance);
    });
  };
  const toldTo = (instance: string, number: string) =>
    ({ provider: "evolution", instance, to: [createAddress(number)] }) as const;

  on("POST", "markMessageAsRead", ({ readMessages }, instance) => {
    for (const { id: providerMessageId, fromMe } of readMessages) {
      if (fromMe) continue;
      store.addReadReceipt({
        ...{ provider: "evolution", instance, providerMessageId, typingShown: false },
      });
    }
    return Response.json({ message: "Read messages", read: "success" }, { status: 201 });
  });
  on("POST", "sendPresence", async ({ number, presence, delay }, instance) => {
    const waId = createAddress(number);
    if (presence === "composing") {
      store.addTyping({ provider: "evolution", instance, waId, durationMs: delay });
    }
    await waitUnlessClosing(delay, simulator.closing);
    return Response.json({ presence }, { status: 201 });
  });
  on("POST", "updateMessage", ({ number, text, key }, instance) => {
    const target = { provider: "evolution", instance, providerMessageId: key.id } as const;
    return answerSend(simulator, toldTo(instance, number), errorFormat(number), () => {
      const sent = findSent(simulator, target);
      if (sent !== undefined && !editable.includes(sent.messageType)) {
        return refuse(400, "Bad Request", ["Message not compatible"]);
      }
      editSent(simulator, target, text);
      return Response.json({ key, status: "PENDING" });
    });
  });
  on("DELETE", "deleteMessageForEveryone", (key, instance) => {
    const target = { provider: "evolution", instance, providerMessageId: key.id } as const;
    const number = key.remoteJid;
    return answerSend(
      simulator,
      toldTo(instance, number),
      errorFormat(number),
      () =>
        deleteSent(simulator, target)
          ? Response.json({ key, status: "PENDING" }, { status: 201 })
          : refuse(500, "Internal Server Error", [
            "Error while deleting message for everyone",
          ]),
    );
  });
  on(
    "POST",
    "updateBlockStatus",
    ({ number, status }, instance) =>
      answerSend(simulator, toldTo(instance, number), errorFormat(number), () => {
        const [waId] = toldTo(instance, number).to;
        store.addBlock({ provider: "evolution", instance, waId, isBlocked: status === "block" });
        return Response.json({ block: "success" }, { status: 201 });
      }),
  );
  return app;
}
