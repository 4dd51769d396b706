/** Asks an OpenAI-compatible endpoint for the words of a voice message. */
import { cutText } from "../model/cut_text.ts";
import type { Bytes } from "../model/bytes.ts";
import { parseJson, readText } from "../model/json_value.ts";
import type { ChatModelConfig } from "../runtime/config.ts";

/** A sound file on its way to the endpoint. */
export interface Recording {
  readonly body: ReadableStream<Bytes>;
  readonly mimeType: string;
  /** With an extension, by which endpoints tell the format. */
  readonly fileName: string;
}

/** The words; null where there are none. An error code where another attempt may have them. */
export type Transcription = { readonly text: string | null } | { readonly error: string };

/** Transcribes a recording, once. Never throws because of the endpoint. Reads or cancels the body. */
export type AskTranscriber = (recording: Recording) => Promise<Transcription>;

/** The name that OpenAI gave its first such model; servers of other models take it too. */
const defaultModel = "whisper-1";
/** Of a whole call. Shorter than an outbox row's lease. */
const timeoutMs = 45_000;
/** A text of an hour of speech has some 60 kB. */
const maxAnswerBytes = 1_048_576;
const maxTextLength = 65_536;

/**
 * Creates the client of `<base URL>/audio/transcriptions`. Without a configuration, and where the
 * endpoint does not offer it, there are no words.
 */
export function createTranscriber(
  config: ChatModelConfig | null,
  limitMs = timeoutMs,
): AskTranscriber {
  return async (recording) => {
    if (config === null) {
      await recording.body.cancel();
      return { text: null };
    }
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), limitMs);
    const form = toForm(recording, config.transcriptionModel ?? defaultModel, abort.signal);
    try {
      const response = await fetch(
        `${config.baseUrl.replace(/(?<!\/)\/+$/, "")}/audio/transcriptions`,
        {
          method: "POST",
          headers: { authorization: `Bearer ${config.apiKey}`, "content-type": form.contentType },
          body: form.body,
          redirect: "manual",
          signal: abort.signal,
        },
      );
      return await readAnswer(response);
    } catch {
      return { error: abort.signal.aborted ? "transcription_timed_out" : "transcription_failed" };
    } finally {
      clearTimeout(timer);
      abort.abort();
      await form.end();
    }
  };
}

async function readAnswer(response: Response): Promise<Transcription> {
  const { status } = response;
  if (status === 429 || status >= 500) {
    await response.body?.cancel().catch(() => {});
    return status === 501 ? { text: null } : { error: `transcription_http_${status}` };
  }
  // Another refusal stays: no such endpoint, a format that it does not take.
  if (status !== 200) {
    await response.body?.cancel().catch(() => {});
    return { text: null };
  }
  const text = readText(parseJson(await readBounded(response)), "text");
  return { text: text === undefined ? null : cutText(text, maxTextLength).replaceAll("\0", "") };
}

async function readBounded(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > maxAnswerBytes) break;
  }
  return text;
}

interface StreamedForm {
  readonly contentType: string;
  readonly body: ReadableStream<Bytes>;
  /** Lets the recording go where the endpoint has not read it to its end. */
  end(): Promise<void>;
}

/** A multipart form with the recording, which is read only as it is sent. */
function toForm(
  { body, mimeType, fileName }: Recording,
  model: string,
  end: AbortSignal,
): StreamedForm {
  const boundary = `form-${crypto.randomUUID()}`;
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = field("model", model) + field("response_format", "json") +
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n` +
    `Content-Type: ${mimeType}\r\n\r\n`;
  const encoder = new TextEncoder();
  const reader = body.getReader();
  let part: "head" | "file" = "head";
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: new ReadableStream<Bytes>({
      async pull(controller): Promise<void> {
        // The runtime goes on reading the body of a call that was ended.
        end.throwIfAborted();
        if (part === "head") {
          part = "file";
          controller.enqueue(encoder.encode(head));
          return;
        }
        const { done, value } = await reader.read();
        controller.enqueue(done ? encoder.encode(`\r\n--${boundary}--\r\n`) : value);
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    }, { highWaterMark: 0 }),
    end: async () => await reader.cancel().catch(() => {}),
  };
}
