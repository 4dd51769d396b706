/** Reads the marks of models' chat templates in a text, however they are spelled. */

/** A mark in a text. */
export interface Mark {
  readonly index: number;
  readonly written: string;
  /** Without brackets, bars, namespace, attributes, and the word that says whether it begins or ends. */
  readonly name: string;
  readonly isClosing: boolean;
}

/**
 * `<|tool_call|>`, `</|DSML|invoke name="x">`, `<|channel>`, `< | DSML | tool_calls>`; `<channel|>`; `<think>`,
 * `</seed:think>`, `<function=name>`, `<function(name)>`, `<invoke name="x">`; `[TOOL_CALLS]`, `[/THINK]`; and
 * `◁think▷` of Kimi's older models.
 */
const anyMark =
  /<\/?[^\S\n]{0,2}\|[^<>\n]{1,200}>|<[^<>\n|]{1,60}\|>|<\/?[a-z][\w.:-]{0,60}(?:[=(\s][^<>]{0,300})?>|\[\/?[a-z_]{3,30}\]|◁\/?[^◁▷\n]{1,40}▷/gi;

/** DeepSeek writes its tokens with a bar and a blank of their own. */
const foreignSigns = /<[^<>\n]{0,300}[｜▁][^<>\n]{0,300}>/g;

/** Writes the tokens of a text with common signs: `<｜tool▁call▁end｜>` as `<|tool_call_end|>`. */
export function writeMarksPlainly(text: string): string {
  if (!/[｜▁]/.test(text)) return text;
  return text.replace(
    foreignSigns,
    (token) => token.replaceAll("｜", "|").replaceAll("▁", "_"),
  );
}

/** The marks of a text in their order, known ones and others. Takes linear time. */
export function* readMarks(text: string): Iterable<Mark> {
  for (const { index, 0: written } of text.matchAll(anyMark)) {
    yield { index, written, ...readMark(written) };
  }
}

const beginning = /^(?:start|begin)_(?:of_)?(.+)$|^(.+)_(?:start|begin|prefix)$/;
const ending = /^end_(?:of_)?(.+)$|^(.+)_(?:end|suffix)$/;

function readMark(written: string): { readonly name: string; readonly isClosing: boolean } {
  const inner = written.slice(1, -1).trim().toLowerCase();
  const isHalfOpen = /^\|[^|]*$/.test(inner);
  const isHalfClosed = /^[^|]+\|$/.test(inner);
  const isSlashed = /^\|?\s*\//.test(inner);
  const [name = ""] = inner.replace(/^[\s|/]+/, "").replace(/^dsml\s*\|\s*/, "").split(
    /[\s=(|]/,
    1,
  );
  const base = name.replace(/^.*:/, "");
  if (written.startsWith("[")) return { name: `[${base}]`, isClosing: isSlashed };
  // MedGemma reasons between two tokens without a name.
  if (base === "unused94" || base === "unused95") {
    return { name: "unused", isClosing: base === "unused95" };
  }
  // Harmony's `<|channel|>` has no end; Gemma's `<|channel>` has.
  if (base === "channel" && (isHalfOpen || isHalfClosed)) {
    return { name: "channel>", isClosing: isHalfClosed };
  }
  const end = ending.exec(base);
  if (end !== null) return { name: end[1] ?? end[2] ?? base, isClosing: true };
  const begin = beginning.exec(base);
  return {
    name: begin?.[1] ?? begin?.[2] ?? base,
    isClosing: isSlashed || isHalfClosed,
  };
}
