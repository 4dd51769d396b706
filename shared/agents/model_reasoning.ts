/**
 * Separates a model's answer from its reasoning. Some servers of reasoning models leave both in
 * `content`, between the tags of the model's chat template.
 */

/** An opening or closing tag of DeepSeek, Qwen and similar models, Mistral, Cohere, or Kimi. */
const mark =
  /<\/?(think|thinking|thought|reasoning)>|\[\/?(THINK)\]|<\|(?:START|END)_(THINKING)\|>|◁\/?(think▷)/gi;
const closingMark = /^(?:<\/|\[\/|<\|END_|◁\/)/i;

/** Tokens that end a turn. The text after one is an invented turn. */
const turnEnd = /<\|(?:im_end|end|return|call|endoftext|eot_id|end_of_text|end_of_turn)\|>|<\/s>/i;
const turnStart = /<\|(?:im_start|start|start_header_id)\|>assistant\n?/gi;
const anyToken = /<\|[a-z_]{1,40}\|>/gi;

const channelToken = "<|channel|>";
const messageToken = "<|message|>";

/**
 * Returns the answer without the reasoning; empty where the text is reasoning only. Reasoning without a
 * closing tag extends to the end; without an opening tag it starts at the beginning.
 */
export function removeReasoning(text: string): string {
  const final = readFinalChannel(removeMarked(text)).replace(turnStart, "");
  const [turn = ""] = final.split(turnEnd, 1);
  return turn.replace(anyToken, "").trim();
}

/** Within reasoning only tags of the same kind count. Takes linear time. */
function removeMarked(text: string): string {
  let kept = "";
  let keptFrom = 0;
  let openKind: string | null = null;
  let depth = 0;
  for (const match of text.matchAll(mark)) {
    const kind = match.slice(1).find((name) => name !== undefined)?.toLowerCase() ?? "";
    const isClosing = closingMark.test(match[0]);
    if (depth > 0 && kind !== openKind) continue;
    if (!isClosing) {
      if (depth === 0) kept += text.slice(keptFrom, match.index);
      openKind = kind;
      depth += 1;
      continue;
    }
    if (depth === 0) kept = "";
    depth = Math.max(depth - 1, 0);
    keptFrom = match.index + match[0].length;
  }
  return depth > 0 ? kept : kept + text.slice(keptFrom);
}

/**
 * Returns the `final` channel of the harmony format (gpt-oss); `analysis` is reasoning and `commentary`
 * is for tools. Servers that drop the tokens leave `analysis…assistantfinal…`.
 */
function readFinalChannel(text: string): string {
  const channels = text.split(channelToken).slice(1);
  if (channels.length === 0) {
    const final = text.lastIndexOf("assistantfinal");
    const isUntagged = final !== -1 && /^\s*(?:analysis|commentary)/.test(text);
    return isUntagged ? text.slice(final + "assistantfinal".length) : text;
  }
  return channels.flatMap((channel) => {
    const [name = "", ...message] = channel.split(messageToken);
    return name.trimStart().startsWith("final") ? [message.join("").split(turnEnd, 1)[0]] : [];
  }).join("\n");
}
