/** What looks like markup of a model, in a text that known markup has been taken out of. */
import { readMarks } from "./markup_marks.ts";

/** HTML that models write for form alone. */
const html = new Set(
  ("a abbr b blockquote br code dd del div dl dt em figure footer h1 h2 h3 h4 h5 h6 header hr html i img " +
    "ins kbd li mark ol p pre q s section small span strike strong sub sup table tbody td th thead tr u ul")
    .split(" "),
);

/** Names that no person is told anything by. */
const telling =
  /think|thought|reason|reflect|scratch|monologue|tool|func|invoke|prompt|assistant|system|_|:|=/i;

/** Signs that stand in no person's text. */
const tokens: readonly RegExp[] = [
  /<\/?[^\S\n]{0,2}\|[^<>\n]{1,200}>|<[^<>\n|]{1,60}\|>|<\|/,
  /[◁✿][^◁▷✿\n]{1,40}[▷✿]/,
  /<<\/?[A-Z]{2,20}>>/,
  /<unused\d{1,4}>/,
  /\[\/[A-Z_]{2,30}\]|\[[A-Z_]{0,20}(?:TOOL|THINK|INST|FUNC|ARGS|CALL|REASON|THOUGHT)[A-Z_]{0,20}\]/,
  /\bto=(?:functions|tools?|python|browser)\b|\bfunctions\.\w{1,80}:\d|\bdefault_api\./,
  /^[^\S\n]{0,20}(?:Thought|Action|Action Input|Observation|Reasoning|Chain of thought):/mi,
  /^#{2,3} (?:Instruction|Response|Human|Assistant|Thought|Reasoning|System)s?:?[^\S\n]{0,20}$/mi,
  /"(?:tool_calls?|function_call|tool_name|action_input|tool_input)"\s*:/,
  /"(?:name|function|tool|action)"\s*:[^\n]{0,200}\n?\s*"(?:arguments|parameters|args|input|kwargs)"\s*:/,
];

/** Blocks of code are shown to the person as they are: their tags are no markup of the answer. */
const codeBlocks = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;

/** Whether something is left that only a model or its server understands. Takes linear time. */
export function hasUnknownMarkup(text: string): boolean {
  if (tokens.some((token) => token.test(text))) return true;
  const words = text.replace(codeBlocks, "");
  for (const { index, written, name, isClosing } of readMarks(words)) {
    if (!written.startsWith("<") || html.has(name)) continue;
    if (isClosing || telling.test(written) || beginsLine(words, index, written)) return true;
  }
  return false;
}

/** Whether the mark stands where the chat templates put theirs: before a text, or alone on its line. */
function beginsLine(text: string, index: number, written: string): boolean {
  if (!/^<[a-z]+>$/.test(written)) return false;
  if (text.slice(0, index).trim() === "") return true;
  const before = text[index - 1];
  const after = text[index + written.length];
  return before === "\n" && (after === "\n" || after === undefined);
}
