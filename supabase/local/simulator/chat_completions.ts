/** An OpenAI-compatible `POST /chat/completions` whose answer depends on the question alone. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { Fault } from "./faults.ts";
import { listFlaws, parseValue, readBearerToken, readJson } from "./json_request.ts";
import type { SimulatorContext } from "./context.ts";
import { answerSend, type ErrorFormat, retryAfterHeader } from "./spoiled_answer.ts";

const contentSchema = z.union([
  z.string(),
  z.array(z.object({ type: z.string(), text: z.string().optional() })).transform((parts) =>
    parts.map((part) => part.text ?? "").join("")
  ),
]);
const callSchema = z.object({
  model: z.string().min(1),
  messages: z.array(z.object({
    role: z.enum(["system", "developer", "user", "assistant", "tool"]),
    content: contentSchema.nullish().transform((content) => content ?? ""),
  })).min(1),
  stream: z.literal(false, "is not offered by this endpoint").optional(),
});
type Call = z.infer<typeof callSchema>;

/** The routes below `/simulator/ai/v1`. */
export function createChatCompletions(simulator: SimulatorContext): Hono {
  const app = new Hono();
  app.post("/chat/completions", (context) => receiveCall(simulator, context));
  app.all("/chat/completions", () => refuse(405, "Not allowed to use this method."));
  app.all("*", (context) => refuse(404, `Invalid URL (${context.req.method} ${context.req.path})`));
  return app;
}

async function receiveCall(simulator: SimulatorContext, context: Context): Promise<Response> {
  if (readBearerToken(context.req.raw) === undefined) {
    return refuse(401, "You didn't provide an API key.", { code: "invalid_api_key" });
  }
  const body = await readJson(context.req.raw);
  const parsed = parseValue(callSchema, body);
  if (!parsed.success) {
    const flaw = listFlaws(parsed.error, body)[0];
    const message = flaw?.missing
      ? `Missing required parameter: '${flaw.path}'.`
      : `Invalid value: '${flaw?.path ?? ""}' ${flaw?.message ?? ""}`.trim();
    return refuse(400, message, { param: flaw?.path ?? null });
  }
  const call = parsed.data;
  return answerSend(simulator, { provider: "chat_completions", to: [] }, errorFormat, (answer) => {
    const completionId = `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`;
    const reply = composeReply(call);
    const { model, messages } = call;
    simulator.store.addAiCall({ completionId, model, messages, reply, answer, body });
    return Response.json(describeCompletion(simulator, completionId, call, reply));
  });
}

const quotedLength = 300;

/**
 * Acknowledges a call and quotes the user's last line, because callers join consecutive messages
 * into lines. The same call always gets the same reply.
 */
function composeReply(call: Call): string {
  const written = call.messages.findLast((message) => message.role === "user")?.content.trim();
  const question = written?.split("\n").at(-1);
  if (!question) return "Hello! How can I help you?";
  const quote = question.length > quotedLength
    ? `${question.slice(0, quotedLength).trimEnd()}…`
    : question;
  return `Thank you for your message. You wrote: “${quote}”. I will take care of it.`;
}

/** https://platform.openai.com/docs/api-reference/chat/object */
interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [{
    readonly index: 0;
    readonly message: {
      readonly role: "assistant";
      readonly content: string;
      readonly refusal: null;
    };
    readonly logprobs: null;
    readonly finish_reason: "stop";
  }];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

function describeCompletion(
  simulator: SimulatorContext,
  completionId: string,
  call: Call,
  reply: string,
): ChatCompletion {
  const promptTokens = countTokens(call.messages.map((message) => message.content).join("\n"));
  const completionTokens = countTokens(reply);
  return {
    id: completionId,
    object: "chat.completion",
    created: Math.floor(simulator.store.now().getTime() / 1000),
    model: call.model,
    choices: [{
      index: 0,
      message: { role: "assistant", content: reply, refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

/** Assumes four characters per token. The count is never billed, so an estimate is enough. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

const errorFormat: ErrorFormat = {
  reject: (fault: Fault) =>
    refuse(400, "The request was refused.", { code: String(fault.code ?? "invalid_prompt") }),
  rateLimit: (fault: Fault) =>
    refuse(
      429,
      "Rate limit reached.",
      { type: "requests", code: String(fault.code ?? "rate_limit_exceeded") },
      retryAfterHeader(fault),
    ),
  serverError: () =>
    refuse(500, "The server had an error while processing your request.", {
      type: "server_error",
    }),
};

function refuse(
  status: number,
  message: string,
  fields: { type?: string; param?: string | null; code?: string } = {},
  headers: Record<string, string> = {},
): Response {
  const { type = "invalid_request_error", param = null, code = null } = fields;
  return Response.json({ error: { message, type, param, code } }, { status, headers });
}
