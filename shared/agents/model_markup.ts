/** Separates what a model's answer says to the person from the markup of its chat template. */
import { isBlank } from "../model/visible_text.ts";
import { reasoningNames, treatments } from "./known_markup.ts";
import { readMarks, writeMarksPlainly } from "./markup_marks.ts";
import { hasUnknownMarkup } from "./unknown_markup.ts";
import { removeWrittenCalls } from "./written_calls.ts";

/** What is left for the person; null where markup is left that the tables do not know. */
export function readPersonText(text: string): string | null {
  const left = removeKnownMarkup(text);
  return hasUnknownMarkup(left) ? null : left;
}

/**
 * Returns the answer without reasoning, tool calls and tokens; empty where it is nothing else. What has no
 * closing mark extends to the end; reasoning without an opening one starts at the beginning.
 */
export function removeKnownMarkup(text: string): string {
  const marked = removeMarked(writeMarksPlainly(text));
  const final = readFinalChannel(readFinalSection(marked)).replace(turnStart, "");
  const [turn = ""] = final.split(turnEnd, 1);
  return removeWrittenCalls(turn.replace(loneToken, "")).trim();
}

/**
 * Whether an answer that has no words for the person holds more than reasoning: a call of a tool, in any form that
 * `removeKnownMarkup` takes out.
 */
export function holdsCallAlone(text: string): boolean {
  if (!isBlank(removeKnownMarkup(text))) return false;
  const rest = removeMarked(writeMarksPlainly(text), (name) => reasoningNames.has(name));
  const channels = rest.split(channelToken).slice(1);
  if (channels.length > 0 || /^\s*analysis/.test(rest)) {
    return channels.some((channel) => channel.trimStart().startsWith("commentary"));
  }
  const [turn = ""] = readFinalSection(rest).replace(turnStart, "").split(turnEnd, 1);
  return !isBlank(turn.replace(loneToken, ""));
}

/** Within what is hidden only marks of the same name count. Takes linear time. */
function removeMarked(
  text: string,
  isHidden: (name: string) => boolean = () => true,
): string {
  let kept = "";
  let keptFrom = 0;
  let open: string | null = null;
  let depth = 0;
  for (const { index, written, name, isClosing } of readMarks(text)) {
    const treatment = treatments.get(name);
    if (treatment === undefined || (depth > 0 && name !== open)) continue;
    if (treatment === "hidden" && !isHidden(name)) continue;
    const end = index + written.length;
    if (treatment === "shown") {
      kept += text.slice(keptFrom, index);
      keptFrom = end;
      continue;
    }
    if (!isClosing) {
      if (depth === 0) kept += text.slice(keptFrom, index);
      open = name;
      depth += 1;
      continue;
    }
    if (depth === 0) {
      // A tool call's end without its beginning stays: nobody can say where the call began.
      if (!reasoningNames.has(name)) continue;
      kept = "";
    }
    depth = Math.max(depth - 1, 0);
    keptFrom = end;
  }
  return depth > 0 ? kept : kept + text.slice(keptFrom);
}

const channelToken = "<|channel|>";
const messageToken = "<|message|>";

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

const granitesThoughts = /here(?:'s| is) my thought process:/i;
const granitesResponse = /here(?:'s| is) my response:\s*/i;

/** Granite 3.2 separates its thoughts by sentences; agents of the ReAct form by labels. */
function readFinalSection(text: string): string {
  const thoughts = granitesThoughts.exec(text);
  if (thoughts !== null) {
    const rest = text.slice(thoughts.index);
    const response = granitesResponse.exec(rest);
    return response === null
      ? text.slice(0, thoughts.index)
      : rest.slice(response.index + response[0].length);
  }
  const isReAct = /^(?:Thought|Action):/m.test(text);
  const final = isReAct ? [...text.matchAll(/^Final Answer:[^\S\n]*/gm)].at(-1) : undefined;
  return final === undefined ? text : text.slice(final.index + final[0].length);
}

/** The beginning of the model's own turn. */
const turnStart =
  /(?:<\|(?:im_start|start|turn|start_header_id|start_of_role)\|?>|<start_of_turn>)\s?(?:assistant|model|ai|bot|chatbot)\b(?:<\|(?:end_header_id|end_of_role|im_sep)\|>)?\n{0,9}/gi;

/** What ends the turn, or begins another one's. The text after it is invented. */
const turnEnd =
  /<\|(?:im_end|end|return|call|endoftext|eot|eot_id|eom_id|eos|end_of_(?:text|turn|sentence|message)|end_of_turn_token|end_response|user|human|system|observation)\|>|<turn\|>|<end_of_turn>|<eos>|<\/s>|(?:<\|(?:im_start|start|turn|start_header_id|start_of_role)\|?>|<start_of_turn>)\s?(?:user|human|system|developer|tool|observation)\b/i;

/** Tokens that say nothing of what stands beside them. */
const loneToken =
  /<\|(?:begin_of_text|begin_of_sentence|begin_of_box|bos|pad|unk|im_sep|message|channel|constrain|start|im_start|assistant|model|start_response|start_of_turn_token|chatbot_token|no_thinking|startoftext)\|>|<(?:bos|pad|unk|s)>/gi;
