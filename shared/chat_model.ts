import type { PromptMessage } from "./agent_prompt.ts";
import { readRetryAfterMs } from "./providers/retry_after.ts";

/** Where an OpenAI-compatible chat completions endpoint is, without `/chat/completions`. */
export interface ChatModelConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What asking the model came to; an error is a word for the log, never what the model said. */
export type ChatAnswer =
  | { readonly text: string }
  | { readonly error: string; readonly retryAfterMs?: number | undefined };

/** Asks a model to go on with a conversation. Never throws for what the endpoint does. */
export type AskModel = (
  model: string,
  messages: readonly PromptMessage[],
) => Promise<ChatAnswer>;

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
      const completion = await client.chat.completions.create({ model, messages: [...messages] });
      const text = completion.choices[0]?.message.content?.trim() ?? "";
      return text === "" ? { error: "model_said_nothing" } : { text };
    } catch (error) {
      if (!(error instanceof APIError)) return { error: "model_answer_unreadable" };
      return {
        error: error.status === undefined ? "model_unreachable" : `model_http_${error.status}`,
        retryAfterMs: readRetryAfterMs(error.headers ?? new Headers(), Date.now()),
      };
    }
  };
}
