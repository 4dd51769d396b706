import type { APIError } from "openai";
import type { PromptMessage } from "./prompt.ts";
import { answerFiltered, readModelAnswer } from "./model_answer.ts";
import type { ChatModelConfig } from "../runtime/config.ts";
import { readRetryAfterMs } from "../runtime/retry_after.ts";

/** The model's answer, or an error code for the log. The code never quotes the model. */
export type ChatAnswer =
  | { readonly text: string }
  | { readonly error: string; readonly retryAfterMs?: number | undefined };

/** Asks a model to continue a conversation. Returns endpoint errors instead of throwing them. */
export type AskModel = (
  model: string,
  messages: readonly PromptMessage[],
) => Promise<ChatAnswer>;

/** Error code: the prompt exceeds the model's context. */
export const promptTooLong = "model_prompt_too_long";

/** Time limit of one call, in milliseconds. Shorter than an outbox row's lease. */
const timeoutMs = 45_000;

/**
 * Creates the client of the configured endpoint. Without a configuration every call returns an error,
 * and agent replies become visible `dead` outbox rows. Calls once; the outbox retries with backoff.
 *
 * Uses the `openai` package. Importing it takes 50 to 130 ms (430 kB bundled), too long for every start
 * but short beside a model's seconds. So the first call imports it, once per isolate.
 */
export function createChatModel(config: ChatModelConfig | null): AskModel {
  if (config === null) return () => Promise.resolve({ error: "model_not_configured" });
  return async (model, messages) => {
    const { default: OpenAI, APIError } = await import("openai");
    const client = new OpenAI({
      apiKey: config.apiKey,
      baseURL: config.baseUrl,
      maxRetries: 0,
      timeout: timeoutMs,
      logLevel: "off",
      // A redirect leads to another server, whose response is not the model's answer.
      fetchOptions: { redirect: "manual" },
    });
    try {
      // Unknown on purpose: compatible servers differ in the details of the response.
      const completion: unknown = await client.chat.completions.create({
        model,
        messages: [...messages],
      });
      return readModelAnswer(completion);
    } catch (error) {
      return error instanceof APIError ? readRefusal(error) : { error: "model_answer_unreadable" };
    }
  };
}

function readRefusal(refusal: APIError): ChatAnswer {
  const { status } = refusal;
  // Azure also filters the prompt.
  if (refusal.code === "content_filter") return { error: answerFiltered };
  if (isTooLong(refusal)) return { error: promptTooLong };
  return {
    error: status === undefined ? "model_unreachable" : `model_http_${status}`,
    retryAfterMs: readModelRetryAfterMs(refusal.headers ?? new Headers(), Date.now()),
  };
}

/** OpenAI's code, and the words of other servers, which answer 400 or 422. */
const tooLongPattern =
  /context_length|context (?:length|window|size)|exceed_context|too (?:long|large)|input token|max_new_tokens/i;

function isTooLong({ status, code, type, message }: APIError): boolean {
  if (status === 413) return true;
  return (status === 400 || status === 422) && tooLongPattern.test(`${code} ${type} ${message}`);
}

/** Prefers `retry-after-ms`, which OpenAI and Azure send: it is more exact than `Retry-After`. */
function readModelRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(exact)
    ? Math.ceil(Number(exact))
    : readRetryAfterMs(headers, nowMs);
}
