/**
 * What WAHA takes beside sends (pages Send messages, Presence, Contacts): receipts, typing, edits,
 * deletions, blocks. An edit that comes too late is answered like any other and changes nothing.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { deleteSent, editSent, findSent } from "../actions.ts";
import type { SimulatorContext } from "../context.ts";
import { parseValue, readJson } from "../json_request.ts";
import { answerSend, type ErrorFormat } from "../spoiled_answer.ts";
import { engineOf } from "./engine.ts";
import { bareIdOf, digitsOf } from "./ids.ts";

const session = z.string().min(1);
const chat = z.object({ session, chatId: z.string().min(1) });
const seen = chat.extend({ messageIds: z.array(z.string()).optional() });
const contact = z.object({ session, contactId: z.string().min(1) });
const edit = z.object({ text: z.string().min(1) });

/** What the routes share with those of sends. */
export interface WahaConventions {
  readonly refuse: (status: number, members: Readonly<Record<string, unknown>>) => Response;
  readonly refuseBody: (error: z.ZodError, body: unknown) => Response;
  readonly errorFormat: (session: string) => ErrorFormat;
}

const editable: readonly string[] = ["text", "image", "video", "document"];

/** The routes below `/api`. */
export function createWahaActions(
  simulator: SimulatorContext,
  { refuse, refuseBody, errorFormat }: WahaConventions,
): Hono {
  const app = new Hono();
  const { store } = simulator;
  const onPost = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    answer: (body: z.infer<Schema>) => Response | Promise<Response>,
  ): void => {
    app.post(path, async (context: Context) => {
      const body = await readJson(context.req.raw);
      const parsed = parseValue(schema, body);
      return parsed.success ? await answer(parsed.data) : refuseBody(parsed.error, body);
    });
  };
  onPost("/sendSeen", seen, ({ session: instance, messageIds = [] }) => {
    for (const id of messageIds) {
      const providerMessageId = bareIdOf(id);
      store.addReadReceipt({ provider: "waha", instance, providerMessageId, typingShown: false });
    }
    return new Response(null, { status: 201 });
  });
  onPost("/startTyping", chat, ({ session: instance, chatId }) => {
    // Until the next message, or 25 s.
    store.addTyping({ provider: "waha", instance, waId: digitsOf(chatId), durationMs: 25_000 });
    return Response.json({ result: true }, { status: 201 });
  });
  for (const verb of ["block", "unblock"] as const) {
    onPost(`/contacts/${verb}`, contact, ({ session: instance, contactId }) => {
      if (engineOf(instance) !== "WEBJS") {
        return refuse(422, { message: "The method is not implemented by the engine." });
      }
      const waId = digitsOf(contactId);
      const target = { provider: "waha", instance, to: [waId] } as const;
      return answerSend(simulator, target, errorFormat(instance), () => {
        store.addBlock({ provider: "waha", instance, waId, isBlocked: verb === "block" });
        return Response.json({ success: true }, { status: 201 });
      });
    });
  }

  const change = (
    context: Context,
    apply: (target: Parameters<typeof findSent>[1]) => Response,
  ): Promise<Response> => {
    const instance = context.req.param("session") ?? "";
    const to = [digitsOf(context.req.param("chat") ?? "")];
    const providerMessageId = bareIdOf(context.req.param("message") ?? "");
    const target = { provider: "waha", instance, providerMessageId } as const;
    return answerSend(
      simulator,
      { provider: "waha", instance, to },
      errorFormat(instance),
      () => apply(target),
    );
  };
  const path = "/:session/chats/:chat/messages/:message";
  app.put(path, async (context) => {
    const body = await readJson(context.req.raw);
    const parsed = parseValue(edit, body);
    if (!parsed.success) return refuseBody(parsed.error, body);
    return await change(context, (target) => {
      const sent = findSent(simulator, target);
      if (sent !== undefined && !editable.includes(sent.messageType)) {
        return refuse(500, { exception: { message: "The message can not be edited" } });
      }
      editSent(simulator, target, parsed.data.text);
      return Response.json({ id: target.providerMessageId });
    });
  });
  app.delete(
    path,
    (context) =>
      change(
        context,
        (target) =>
          deleteSent(simulator, target)
            ? Response.json({ success: true })
            : refuse(500, { exception: { message: "The message was not found" } }),
      ),
  );
  return app;
}
