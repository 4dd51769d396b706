import type { APIError } from "openai";
import type { PromptMessage } from "./prompt.ts";
import { answerFiltered, readModelAnswer } from "./model_answer.ts";
import type { ChatModelConfig } from "../runtime/config.ts";
import { readRetryAfterMs } from "../runtime/retry_after.ts";

/** What asking the model came to; an error is a word for the log, never what the model said. */
export type ChatAnswer =
  | { readonly text: string }
  | { readonly error: string; readonly retryAfterMs?: number | undefined };

/** Asks a model to go on with a conversation. Never throws for what the endpoint does. */
export type AskModel = (
  model: string,
  messages: readonly PromptMessage[],
) => Promise<ChatAnswer>;

/** The error of a question that is longer than the model's context. */
export const promptTooLong = "model_prompt_too_long";

/** Longest wait for an answer; an outbox row's lease is longer. */
const timeoutMs = 45_000;

/**
 * The endpoint of the environment; without one every question ends in an error, and the agents'
 * replies become `dead` outbox rows that can be seen. Tries once: the outbox retries, with backoff.
 *
 * By the `openai` package rather than by `fetch`: importing it takes 50 to 130 ms (430 kB bundled),
 * which is too much for every start and little beside the seconds that a model thinks. So it is
 * imported with the first question, once per isolate, and no start pays for it.
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
      // What another address says is not the model's answer.
      fetchOptions: { redirect: "manual" },
    });
    try {
      // Of any shape: servers that are compatible in the main differ in the details.
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
  // Azure's filter reads the question too.
  if (refusal.code === "content_filter") return { error: answerFiltered };
  if (isTooLong(refusal)) return { error: promptTooLong };
  return {
    error: status === undefined ? "model_unreachable" : `model_http_${status}`,
    retryAfterMs: readModelRetryAfterMs(refusal.headers ?? new Headers(), Date.now()),
  };
}

/** OpenAI's own code; other servers say it in words of theirs, with status 400 or 422. */
const tooLongWords =
  /context_length|context (?:length|window|size)|exceed_context|too (?:long|large)|input token|max_new_tokens/i;

function isTooLong({ status, code, type, message }: APIError): boolean {
  if (status === 413) return true;
  return (status === 400 || status === 422) && tooLongWords.test(`${code} ${type} ${message}`);
}

/** `retry-after-ms`, which OpenAI and Azure send, is more exact than `Retry-After` beside it. */
function readModelRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(exact)
    ? Math.ceil(Number(exact))
    : readRetryAfterMs(headers, nowMs);
}
