import fc from "fast-check";
import { readModelAnswer } from "../../../shared/agents/model_answer.ts";
import { removeKnownMarkup } from "../../../shared/agents/model_markup.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { assertLinearTime } from "../../support/growth.ts";

function read(content: unknown, finish_reason = "stop", message = {}): unknown {
  return readModelAnswer({
    choices: [{ index: 0, finish_reason, message: { role: "assistant", content, ...message } }],
  });
}

const nothing = { error: "model_said_nothing" };

Deno.test("reasoning between tags is removed, also with a missing opening or closing tag", () => {
  const cases: readonly (readonly [said: string, answer: string])[] = [
    ["<think>segredo</think>\n\nOlá!", "Olá!"],
    ["<THINK>\nsegredo\n</Think>Olá!", "Olá!"],
    ["<think></think>Olá!", "Olá!"],
    ["segredo</think>Olá!", "Olá!"],
    ["Olá!<think>segredo", "Olá!"],
    ["Olá <think>segredo</think>mundo", "Olá mundo"],
    ["<think>a<think>b</think>segredo</think>Olá!", "Olá!"],
    ["<think>a</think><think>b</think>Olá!", "Olá!"],
    ["<think>a <reasoning> b</think>Olá!", "Olá!"],
    ["<thinking>segredo</thinking>Olá!", "Olá!"],
    ["<thought>segredo</thought>Olá!", "Olá!"],
    ["[THINK]segredo[/THINK]Olá!", "Olá!"],
    ["◁think▷segredo◁/think▷Olá!", "Olá!"],
    ["<|START_THINKING|>segredo<|END_THINKING|>Olá!", "Olá!"],
  ];
  for (const [said, answer] of cases) assertEquals(read(said), { text: answer }, said);
  for (const said of ["<think>segredo", "<think>", "a</think>", "<think>a</think><think>b"]) {
    assertEquals(read(said), nothing, said);
  }
});

Deno.test("only the final channel is the answer, without tokens", () => {
  const analysis = "<|channel|>analysis<|message|>segredo";
  const final = "<|channel|>final<|message|>Olá!";
  const cases = [
    `${analysis}<|end|><|start|>assistant${final}<|return|>`,
    `${analysis}<|end|>${final}`,
    `<|start|>assistant${analysis}<|end|><|start|>assistant${final}`,
    `${final}<|end|><|start|>user<|message|>inventado`,
    `${analysis}<|channel|>commentary to=tool<|message|>{}<|call|>${final}`,
    "<|channel|>final <|constrain|>text<|message|>Olá!",
    "analysisO cliente disse oi.assistantfinalOlá!",
    "Olá!<|im_end|>\n<|im_start|>user\ninventado",
    "<|im_start|>assistant\nOlá!<|im_end|>",
    "Olá!<|eot_id|>",
    "Olá!</s>",
  ];
  for (const said of cases) assertEquals(read(said), { text: "Olá!" }, said);
  for (const said of [analysis, `${analysis}<|end|>`, "<|channel|>final", "<|channel|>"]) {
    assertEquals(read(said), nothing, said);
  }
});

Deno.test("reasoning, refusal and tool call fields are not part of the answer", () => {
  for (const content of [null, undefined, "", "  ", "\u200b\u2060", "<think>a</think>\ufe0f"]) {
    const beside = { reasoning_content: "segredo", reasoning: "segredo", refusal: "segredo" };
    assertEquals(read(content, "stop", beside), nothing);
  }
  assertEquals(read("Olá!", "stop", { reasoning_content: "segredo" }), { text: "Olá!" });
});

Deno.test("an answer that is a tool call alone is told from one that is empty or reasoning alone", () => {
  const called = { error: "model_called_tool" };
  const written = [
    '<tool_call>{"name": "agendar", "arguments": {}}</tool_call>',
    '<think>segredo</think>\n<tool_call>\n{"name": "agendar", "arguments": {}}',
    '{"name": "agendar", "parameters": {"dia": "terça"}}',
    "<|python_tag|>agendar.call(dia=1)<|eom_id|>",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.agendar:0<|tool_call_end|>",
    '<｜DSML｜function_calls><｜DSML｜invoke name="agendar"></｜DSML｜invoke></｜DSML｜function_calls>',
    "<|channel|>commentary to=functions.agendar<|message|>{}<|call|>",
    "[agendar(dia=1)]",
    "Thought: quero agendar\nAction: agendar\nAction Input: {}",
    "```tool_code\nagendar()\n```",
  ];
  for (const content of written) assertEquals(read(content), called, content);
  const call = { id: "1", type: "function", function: { name: "agendar", arguments: "{}" } };
  for (const content of [null, undefined, "", " ", "<think>segredo</think>", []]) {
    assertEquals(read(content, "stop", { tool_calls: [call] }), called);
    assertEquals(read(content, "stop", { function_call: { name: "agendar" } }), called);
    assertEquals(read(content, "tool_calls"), called);
    assertEquals(read(content, "stop", { tool_calls: [], function_call: null }), nothing);
  }
  assertEquals(read([{ type: "tool_use", name: "agendar", input: {} }]), called);
  assertEquals(read("Olá!", "tool_calls", { tool_calls: [call] }), { text: "Olá!" });
  const thoughts = ["Here is my thought process: segredo", "<|channel|>analysis<|message|>segredo"];
  for (const content of [...thoughts, "analysis segredo assistantfinal"]) {
    assertEquals(read(content), nothing, content);
  }
});

Deno.test("content may be an array of parts, whose texts are the answer", () => {
  const parts = [
    { type: "thinking", thinking: [{ type: "text", text: "segredo" }] },
    { type: "reasoning", text: "segredo" },
    { type: "text", text: "Olá, " },
    { type: "output_text", text: "mundo" },
    "!",
    null,
    7,
    { type: "text", text: 7 },
  ];
  assertEquals(read(parts), { text: "Olá, mundo!" });
  assertEquals(read([]), nothing);
});

Deno.test("a filtered answer is dropped completely", () => {
  assertEquals(read("Como fazer um", "content_filter"), { error: "model_answer_filtered" });
});

Deno.test("an answer that hit the token limit ends with its last whole sentence", () => {
  const cases = [
    ["Abrimos às 9h. Fechamos às 18h. Aos sába", "Abrimos às 9h. Fechamos às 18h."],
    ["Abrimos hoje! Custa R$ 1.", "Abrimos hoje!"],
    ["Temos:\n- pão\n- lei", "Temos:\n- pão"],
    ["Abrimos às 9h. Fechamos cedo.", "Abrimos às 9h. Fechamos cedo."],
    ["Nossa loja fica na rua das Flo", "Nossa loja fica na rua das…"],
    ["Anticonstitucional", "Anticonstitucional…"],
  ] as const;
  for (const [said, answer] of cases) assertEquals(read(said, "length"), { text: answer });
  assertEquals(read("<think>segredo. mais seg", "length"), nothing);
});

Deno.test("JSON with a text content type is read; anything but a completion is unreadable", () => {
  const completion = JSON.stringify({ choices: [{ message: { content: "Olá!" } }] });
  assertEquals(readModelAnswer(completion), { text: "Olá!" });
  const unreadable = { error: "model_answer_unreadable" };
  for (const body of ["<html>", "", null, 7, [], {}, { choices: [] }, { choices: [{}] }]) {
    assertEquals(readModelAnswer(body), unreadable, JSON.stringify(body));
  }
});

Deno.test("for any order of tags no answer contains a tag or the text inside one", () => {
  const mark = fc.constantFrom("<think>", "</think>", "<|channel|>", "<|message|>", "final", "a ");
  fc.assert(fc.property(fc.array(mark, { maxLength: 20 }), (marks) => {
    const answer = removeKnownMarkup(marks.join(""));
    assert(!/<\/?think>|<\|/.test(answer), answer);
  }));
  fc.assert(fc.property(fc.array(mark, { maxLength: 20 }), (marks) => {
    const answer = removeKnownMarkup(
      `Oi. <think>segredo ${marks.join("").replaceAll("</think>", "")}`,
    );
    assert(!answer.includes("segredo"), answer);
  }));
});

Deno.test("separating reasoning from the answer takes linear time", () => {
  for (const part of ["<think>", "</think>", "<|channel|>", "<|start|>", "assistantfinal", "<|"]) {
    const make = (units: number): string => part.repeat(units);
    assertLinearTime({ make, work: removeKnownMarkup, units: 1_000, factor: 200, what: part });
  }
});
