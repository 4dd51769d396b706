/**
 * The markup that models write around what is not for the person, where their server leaves it in `content`.
 * From the models' chat templates and the parsers of vLLM, SGLang and llama.cpp.
 */

/** Marks of one meaning, and who writes them. */
export interface KnownMarkup {
  readonly models: string;
  /** As `readMark` names a mark: `tool_calls` for `<|tool▁calls▁begin|>`, `</ns:tool_calls>` and their like. */
  readonly names: readonly string[];
  /** `hidden`: what stands between the marks goes with them. `shown`: the marks go alone. */
  readonly content: "hidden" | "shown";
  /** An answer with it, of which the word "segredo" must not be left, but "Olá!". */
  readonly example: string;
}

/** A mark that reasoning ends with, without one that begins it, is known of models that begin by thinking. */
const reasoning: readonly KnownMarkup[] = [
  {
    models: "DeepSeek R1, Qwen 3, GLM, Kimi K2, MiniMax, Nemotron, Phi 4, Seed OSS, Magistral",
    names: ["think", "[think]"],
    content: "hidden",
    example:
      "<seed:think>segredo<seed:cot_budget_reflect>segredo</seed:cot_budget_reflect></seed:think>Olá!",
  },
  {
    models: "Command A, EXAONE Deep, OpenThinker, Reka, and prompts that ask for steps",
    names: [
      ...["thinking", "thought", "thoughts", "thought_process", "reason", "reasoning", "rationale"],
      ...["reflection", "reflect", "cot", "cot_budget_reflect", "scratchpad", "scratch_pad"],
      ...["analysis", "contemplation", "contemplator", "deliberation", "planning"],
    ],
    content: "hidden",
    example:
      "<|begin_of_thought|>segredo<|end_of_thought|><|begin_of_solution|>Olá!<|end_of_solution|>",
  },
  {
    models: "Apertus, Grok, and prompts that ask for a monologue",
    names: [
      ...["inner", "inner_monologue", "inner_thought", "inner_thoughts", "monologue"],
      ...["internal_monologue", "internal_thought", "internal_thoughts", "internal_reasoning"],
    ],
    content: "hidden",
    example: "<|inner_prefix|>segredo<|inner_suffix|>Olá!",
  },
  {
    models: "Gemma 4; MedGemma",
    names: ["channel>", "unused"],
    content: "hidden",
    example: "<|channel>thought\nsegredo\n<channel|>Olá!",
  },
];

const toolCalls: readonly KnownMarkup[] = [
  {
    models: "Hermes, Qwen, GLM, Granite, Phi 4 mini, Gemma 4, LFM 2, LongCat, Seed OSS, MiniMax",
    names: [
      ...["tool_call", "toolcall", "longcat_tool_call", "tool_use", "tool_code", "[tool_call]"],
      ...["tool_calls", "toolcalls", "[tool_calls]"],
    ],
    content: "hidden",
    example: 'Olá!<minimax:tool_call><invoke name="segredo"></invoke></minimax:tool_call>',
  },
  {
    models: "Kimi K2",
    names: ["tool_calls_section", "tool_call_section"],
    content: "hidden",
    example: "Olá!<|tool_calls_section_begin|><|tool_call_begin|>functions.segredo:0" +
      "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
  },
  {
    models: "DeepSeek V3 to V4, Jamba, OLMo 3, Granite, FunctionGemma, Llama 3",
    names: [
      ...["function", "functions", "function_call", "function_calls", "functioncall"],
      ...["invoke", "steptml:invoke", "parameter", "arg_key", "arg_value"],
    ],
    content: "hidden",
    example:
      'Olá!<｜DSML｜function_calls><｜DSML｜invoke name="segredo"></｜DSML｜invoke></｜DSML｜function_calls>',
  },
  {
    models: "Command R, InternLM, OpenHands",
    names: ["action", "actions", "plugin", "execute", "execute_bash", "execute_ipython"],
    content: "hidden",
    example: "Olá!<|action_start|><|plugin|>segredo<|action_end|>",
  },
  {
    models: "Llama 3 and 4",
    names: ["python_tag", "python", "ipython", "code_interpreter"],
    content: "hidden",
    example: 'Olá!<|python_tag|>segredo.call(query="x")<|eom_id|>',
  },
  {
    models: "all of them, where a model makes up what a tool answered",
    names: [
      ...["tool", "tools", "tool_declare", "tool_response", "tool_responses", "[available_tools]"],
      ...["tool_result", "tool_results", "[tool_result]", "[tool_results]", "tool_output"],
      ...["tool_outputs", "function_response", "function_result", "function_results"],
      ...["function_output", "observation", "[inst]", "[system_prompt]"],
    ],
    content: "hidden",
    example: "<tool_response>segredo</tool_response>Olá!",
  },
];

const answers: readonly KnownMarkup[] = [
  {
    models: "Hunyuan, GLM-V, Granite, Command A, OpenThinker, and prompts that ask for an answer",
    names: [
      ...["answer", "final_answer", "final", "response", "final_response", "output", "solution"],
      ...["box", "reply", "content"],
    ],
    content: "shown",
    example: "<think>segredo</think>\n<answer>Olá!</answer>",
  },
];

export const knownMarkup: readonly KnownMarkup[] = [...reasoning, ...toolCalls, ...answers];

/** Names whose closing mark alone hides everything before it: the server has kept the opening one. */
export const reasoningNames: ReadonlySet<string> = new Set(reasoning.flatMap(({ names }) => names));

/** How the content of each known mark is treated, by its name. */
export const treatments: ReadonlyMap<string, KnownMarkup["content"]> = new Map(
  knownMarkup.flatMap(({ names, content }) => names.map((name) => [name, content] as const)),
);
