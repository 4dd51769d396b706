/** Longest line, as the formatter writes Markdown. */
const lineWidth = 100;

/** Breaks lines at blanks outside of code, as the formatter does: what continues a list is indented. */
export function wrapLines(text: string): string {
  return text.split("\n").map((line) => {
    const indent = line.startsWith("- ") ? "  " : "";
    const lines: string[] = [];
    for (const word of line.match(/(?:`[^`]*`|[^\s`])+/g) ?? [""]) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= lineWidth) {
        lines[lines.length - 1] = `${last} ${word}`;
      } else lines.push(last === undefined ? word : `${indent}${word}`);
    }
    return lines.join("\n");
  }).join("\n");
}
