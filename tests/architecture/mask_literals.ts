/** A subset of TypeScript's lexical grammar that separates code from comments, strings and patterns. */

export interface MaskedSource {
  /** The code without comments, with strings as `"<n>"` and patterns as `/ /`. */
  readonly code: string;
  /** The contents of the strings, by their n. */
  readonly literals: readonly string[];
}

/** A slash starts a pattern after an operator, an opening bracket or one of these words. */
const beforePattern =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|await|yield))\s*$/;

/** A line comment, a block comment, a quoted string, a template's text, a pattern. */
const tokens = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y,
  quoted: /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y,
  templateText: /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y,
  pattern: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
};

/**
 * Masks `text`. Code inside the `${}` of a template stays code. A slash right after a closing
 * parenthesis is ambiguous and is read as a division.
 */
export function maskLiterals(text: string): MaskedSource {
  const literals: string[] = [];
  const openTemplates: number[] = [];
  let code = "";
  let depth = 0;
  let position = 0;
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = position;
    const found = token.exec(text)?.[0];
    if (found !== undefined) position += found.length;
    return found;
  };
  const takeTemplateText = (): void => {
    const found = take(tokens.templateText) ?? "";
    if (found.endsWith("${")) openTemplates.push(depth++);
    code += found.endsWith("${") ? "${" : "`";
  };
  while (position < text.length) {
    const character = text[position] ?? "";
    const comment = character === "/" ? take(tokens.comment) : undefined;
    if (comment !== undefined) {
      code += comment.replace(/[^\n]/g, " ");
    } else if (character === '"' || character === "'") {
      literals.push((take(tokens.quoted) ?? "").slice(1, -1));
      code += `"${literals.length - 1}"`;
    } else if (character === "`") {
      position++;
      code += "`";
      takeTemplateText();
    } else if (character === "/" && beforePattern.test(code.slice(-20))) {
      code += take(tokens.pattern) === undefined ? text[position++] : "/ /";
    } else {
      position++;
      if (character === "{") depth++;
      if (character === "}") depth--;
      code += character;
      if (character === "}" && openTemplates.at(-1) === depth) {
        openTemplates.pop();
        takeTemplateText();
      }
    }
  }
  return { code, literals };
}
