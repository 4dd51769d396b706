/** Markup of models' chat templates: what is known goes, what is not is never sent. */

import fc from "fast-check";
import { knownMarkup } from "../../../shared/agents/known_markup.ts";
import { readPersonText } from "../../../shared/agents/model_markup.ts";
import { hasUnknownMarkup } from "../../../shared/agents/unknown_markup.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { assertLinearTime } from "../../support/growth.ts";

for (const { models, example, names, content } of knownMarkup) {
  Deno.test(`known markup goes: ${models}`, () => {
    assert(example.includes("segredo") && example.includes("Olá!"), example);
    assertEquals(readPersonText(example), "Olá!", example);
    for (const name of names) {
      const left = content === "shown" ? "Olá!" : "";
      for (const [open, close] of spell(name)) {
        const inside = content === "shown" ? "Olá!" : "segredo";
        assertEquals(readPersonText(`${open}${inside}${close}`), left, `${open}…${close}`);
        assertEquals(readPersonText(`${open}${inside}`), left, `${open}… without an end`);
      }
    }
  });
}

/** The spellings of a name: tags, namespaces, tokens, and DeepSeek's own signs. */
function spell(name: string): (readonly [open: string, close: string])[] {
  if (name === "channel>") return [["<|channel>thought\n", "<channel|>"]];
  if (name === "unused") return [["<unused94>", "<unused95>"]];
  if (name.startsWith("[")) {
    const upper = name.slice(1, -1).toUpperCase();
    return [[`[${upper}]`, `[/${upper}]`]];
  }
  const plain = name.replace(/^.*:/, "");
  return [
    [`<${plain}>`, `</${plain}>`],
    [`<${plain.toUpperCase()}>`, `</${plain.toUpperCase()}>`],
    [`<ns:${plain} name="x">`, `</ns:${plain}>`],
    [`<|${plain}|>`, `<|/${plain}|>`],
    [`<|${plain}>`, `<${plain}|>`],
    [`<|start_${plain}|>`, `<|end_${plain}|>`],
    [`<|${plain}_begin|>`, `<|${plain}_end|>`],
    [`<｜${plain.replaceAll("_", "▁")}▁begin｜>`, `<｜${plain.replaceAll("_", "▁")}▁end｜>`],
    [`<｜DSML｜${plain} name="x">`, `</｜DSML｜${plain}>`],
  ];
}

const call = '{"name": "segredo", "arguments": {"a": "} ]"}}';

const withoutMarks: Readonly<Record<string, string>> = {
  "JSON alone": call,
  "JSON behind words": `Olá!\n${call}`,
  "JSON before words": `${call}\nOlá!`,
  "two JSON calls of Llama 3":
    '{"name":"segredo","parameters":{}}; {"name":"segredo","parameters":{}}',
  "a block of JSON": `Olá!\n\`\`\`json\n${call}\n\`\`\``,
  "OpenAI's form": '{"tool_calls":[{"function":{"name":"segredo","arguments":"{}"}}]}',
  "LangChain's form": '```json\n{"action": "segredo", "action_input": "x"}\n```',
  "a list": `[${call}, ${call}]`,
  "Llama 4": '[segredo(city="SP")]',
  "Gemini": "```tool_code\nprint(segredo.x())\n```\nOlá!",
  "Phi 4 mini": 'functools[{"name": "segredo"}]',
  "Functionary": '>>>all\nOlá!\n>>>segredo\n{"a": 1}',
  "Qwen-Agent": "✿FUNCTION✿: segredo\n✿ARGS✿: {}\n✿RESULT✿: segredo\n✿RETURN✿: Olá!",
  "Granite 3.2": "Here is my thought process: segredo. Here is my response: Olá!",
  "ReAct with an answer": "Thought: segredo\nAction: segredo\nAction Input: x\nFinal Answer: Olá!",
  "ReAct without one": 'Thought: segredo\nAction: segredo\nAction Input: {"a": 1}',
  "Mistral": 'Olá![TOOL_CALLS]segredo[ARGS]{"a": 1}',
  "Groq's Llama": '<function=segredo>{"a": 1}</function>Olá!',
};

for (const [what, said] of Object.entries(withoutMarks)) {
  Deno.test(`a call that has no marks around it goes: ${what}`, () => {
    assertEquals(readPersonText(said), said.includes("Olá!") ? "Olá!" : "", said);
  });
}

Deno.test("what looks like markup of a model and is not known leaves nothing to send", () => {
  const said = [
    ...[
      "<ponder>segredo</ponder>Olá!",
      "<ponder>segredo",
      "segredo</ponder>",
      "Oi\n<ponder>\nsegredo",
    ],
    ...[
      "<my_tool>segredo",
      "<ns:secret>segredo",
      '<step name="x">segredo',
      "<|secret_begin|>segredo",
    ],
    ...["[REASONING_ON]segredo", "[SECRET]segredo[/SECRET]", "<<SYS>>segredo", "◁ponder▷segredo"],
    ...[
      "assistantcommentary to=functions.segredo {}",
      "functions.segredo:0 {}",
      "<unused7>segredo",
    ],
    ...["Olá!</tool_call>", '{"name": "segredo", "arguments": {', "Thought: segredo", "<|segredo"],
    ...["### Instruction:\nsegredo", "default_api.segredo()"],
  ];
  for (const text of said) assertEquals(readPersonText(text), null, text);
});

Deno.test("what a person may be told is left as it is", () => {
  const said = [
    "Digite <seu nome> e 3 < 4 > 2 <3",
    "Veja <https://a.example/x_y?a=b> ou <ana@a.example>",
    "<b>Olá</b>, tudo <i>bem</i>?<br>Sim",
    "[Nome], [x](https://a.example/a_b), [1], [OK], [PIX] e {nome: Ana}",
    '{"message": "Cor?", "buttons": [{"id": "1", "title": "Azul"}]}',
    "Use `<config>` assim:\n```xml\n<config>\n</config>\n```",
    "Ação: ligar\nPensamento: bom | ruim",
    "f(x) = 2 e g(x=3) somam 5",
  ];
  for (const text of said) assertEquals(readPersonText(text), text, text);
});

Deno.test("for any marks in any order, nothing that a model alone understands is left", () => {
  const piece = fc.constantFrom(
    ...[
      "<think>",
      "</think>",
      "<|tool_call|>",
      "<tool_call>",
      "</tool_call>",
      "<|channel>thought\n",
    ],
    ...["<channel|>", "<answer>", "</answer>", "<|x|>", "[TOOL_CALLS]", "a ", "\n", call],
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
    const left = readPersonText(pieces.join(""));
    assert(
      left === null || !/<\/?(?:think|tool_call)>|\||\[TOOL|"arguments"/.test(left),
      left ?? "",
    );
  }));
});

Deno.test("separating an answer from markup takes linear time", () => {
  const parts = [
    ...["<think>", "</think>", "<|channel|>", "<|", "<a ", "[a", "◁", "✿FUNCTION✿", ">>>a\n", "{"],
    ...['{"', '"', "\\", " ", "\n", ";", "```", "```tool_code\n", "functools[", "[a(", "Action:\n"],
    ...["<｜", "｜", "`", "### a\n", "assistantfinal"],
  ];
  for (const part of parts) {
    const make = (units: number): string => part.repeat(units);
    const work = (text: string): unknown => [readPersonText(text), hasUnknownMarkup(text)];
    assertLinearTime({ make, work, units: 100, factor: 100, what: part });
  }
});
