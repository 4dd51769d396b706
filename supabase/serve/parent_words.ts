/** What the process that started a worker tells it, a line each, over the worker's standard input. */

/**
 * - `listen`: take connections.
 * - `spread`: ask clients for new connections, because another process listens too.
 */
const parentWords = ["listen", "spread"] as const;

export type ParentWord = (typeof parentWords)[number];

/** Calls `hear` for each word, and resolves when the parent has ended: its end of the pipe is closed. */
export async function hearParent(hear: (word: ParentWord) => void): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of Deno.stdin.readable) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const word of parentWords.filter((each) => lines.includes(each))) hear(word);
  }
}
