/** Tool calls that a model wrote without marks: JSON, Python, or a block of code. */
import { parseJson, readValue } from "../model/json_value.ts";

/** Blocks of code that Gemma and Gemini write for tools. */
const toolBlock = /```(?:tool_code|tool_calls?|tool_outputs?|function_calls?)\b[\s\S]*?(?:```|$)/gi;

/** Phi 4 mini and FireFunction: `functools[{…}]`; old Command R: `Action: ```json …`. */
const labelled = /(?:^|\n|\s)functools\s*\[[\s\S]*$|^Action:\s*```json\s[\s\S]*?(?:```|$)/gm;

/** Functionary: `>>>all`, then words, or `>>>name`, then arguments. */
const functionary = /^>>>(\w{1,64})[^\S\n]*\n([\s\S]*?)(?=^>>>|(?![\s\S]))/gm;

/** Llama 4: `[get_weather(city="x")]` on a line of its own; Gemini: `print(default_api.…)`. */
const pythonic =
  /^[^\S\n]{0,20}(?:\[|print\()[a-z_][\w.]{0,80}\((?:\w{1,80}\s{0,9}=[^\n]{0,4000})?\)[\])][^\S\n]{0,20}$/gim;

/** Qwen-Agent: the words stand behind the last of its signs. */
const qwenAgent = /✿(?:FUNCTION|ARGS|RESULT)✿[\s\S]*?(?:✿RETURN✿:?|$)/g;

/** Removes tool calls that have no marks. Takes linear time. */
export function removeWrittenCalls(text: string): string {
  const plain = text
    .replace(toolBlock, "")
    .replace(labelled, "")
    .replace(qwenAgent, "")
    .replace(functionary, (_, name: string, content: string) => name === "all" ? content : "");
  return removeReActSteps(removeJsonCalls(plain.replace(pythonic, "")));
}

/** An agent that was told to write its steps, and has not come to its answer. */
function removeReActSteps(text: string): string {
  if (!/^Action Input:/m.test(text)) return text;
  const start = /^(?:Thought|Action):/m.exec(text);
  return start === null ? text : text.slice(0, start.index);
}

/** Most JSON values at the beginning of a line that are looked at. */
const maxValues = 20;

const jsonLead = /(?:^|;)[^\S\n]{0,20}(?:```(?:json)?\s{0,9})?(?=[[{])/gm;

function removeJsonCalls(text: string): string {
  let kept = "";
  let keptFrom = 0;
  let looked = 0;
  for (const { index, 0: lead } of text.matchAll(jsonLead)) {
    if (index < keptFrom) continue;
    if (++looked > maxValues) break;
    const start = index + lead.length;
    const end = findJsonEnd(text, start);
    if (end === null || !isCall(parseJson(text.slice(start, end)))) continue;
    const block = lead.includes("```") ? /^\s{0,9}```/.exec(text.slice(end, end + 12)) : null;
    kept += text.slice(keptFrom, index);
    keptFrom = end + (block?.[0].length ?? 0);
  }
  const rest = text.slice(keptFrom);
  return kept + (keptFrom > 0 ? rest.replace(/^[\s;,]+/, "\n") : rest);
}

/** The place behind the JSON value that begins here; null where it has no end. */
function findJsonEnd(text: string, start: number): number | null {
  let depth = 0;
  let isText = false;
  for (let place = start; place < text.length; place++) {
    const sign = text[place];
    if (isText) {
      if (sign === "\\") place += 1;
      else if (sign === '"') isText = false;
      continue;
    }
    if (sign === '"') isText = true;
    else if (sign === "{" || sign === "[") depth += 1;
    else if ((sign === "}" || sign === "]") && --depth === 0) return place + 1;
  }
  return null;
}

const nameKeys = [
  "name",
  "tool",
  "tool_name",
  "function",
  "function_name",
  "action",
  "recipient_name",
];
const inputKeys = [
  ...["arguments", "parameters", "args", "input", "inputs", "kwargs", "tool_input", "action_input"],
  ...["tool_arguments", "tool_parameters"],
];

/** Whether a JSON value calls a tool, as OpenAI, Hermes, Llama, Command R and LangChain write it. */
function isCall(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isCall);
  const has = (keys: readonly string[]): boolean =>
    keys.some((key) => readValue(value, key) !== undefined);
  if (has(["tool_calls", "tool_uses", "function_call", "tool_call"])) return true;
  return has(nameKeys) && (has(inputKeys) || isCall(readValue(value, "function")));
}
