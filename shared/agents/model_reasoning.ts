/**
 * Parts a model's answer from its reasoning. Some servers of reasoning models leave both in
 * `content`, between the marks of the model's chat template.
 */

/** DeepSeek and Qwen, others of the kind, Mistral, Cohere, Kimi: an opening or a closing mark. */
const mark =
  /<\/?(think|thinking|thought|reasoning)>|\[\/?(THINK)\]|<\|(?:START|END)_(THINKING)\|>|◁\/?(think▷)/gi;
const closingMark = /^(?:<\/|\[\/|<\|END_|◁\/)/i;

/** Tokens that end a turn: what follows is a turn that the model made up. */
const turnEnd = /<\|(?:im_end|end|return|call|endoftext|eot_id|end_of_text|end_of_turn)\|>|<\/s>/i;
const turnStart = /<\|(?:im_start|start|start_header_id)\|>assistant\n?/gi;
const anyToken = /<\|[a-z_]{1,40}\|>/gi;

const channelToken = "<|channel|>";
const messageToken = "<|message|>";

/**
 * The part of a model's text that is its answer; empty where it holds reasoning alone. Reasoning that
 * is not closed runs to the end; closed without having been opened, it runs from the beginning.
 */
export function removeReasoning(text: string): string {
  const final = readFinalChannel(removeMarked(text)).replace(turnStart, "");
  const [turn = ""] = final.split(turnEnd, 1);
  return turn.replace(anyToken, "").trim();
}

/** Within reasoning only marks of its own kind count. One pass, whatever the text holds. */
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
 * Of the harmony format (gpt-oss) what stands in the `final` channel: `analysis` is reasoning and
 * `commentary` is for tools. Servers that drop the tokens leave `analysis…assistantfinal…`.
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
