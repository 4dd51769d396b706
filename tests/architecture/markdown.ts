/** Reads links, tables, commands and code spans of a Markdown page. */

export interface MarkdownPage {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Targets of links, in order. */
export function readLinks({ text }: MarkdownPage): string[] {
  const links = withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, target]) => target ?? "");
}

/** Code spans between single backticks, in order. */
export function readCodeSpans({ text }: MarkdownPage): string[] {
  return Array.from(withoutBlocks(text).matchAll(/`([^`\n]+)`/g), ([, code]) => code ?? "");
}

/** The anchors of a page's headings. */
export function readAnchors({ text }: MarkdownPage): string[] {
  const headings = withoutBlocks(text).matchAll(/^#+ (.+)$/gm);
  return Array.from(
    headings,
    ([, title]) => (title ?? "").toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-"),
  );
}

/** The commands of `sh` blocks, with lines that end in a backslash joined. */
export function readCommands({ text }: MarkdownPage): string[] {
  const blocks = text.matchAll(/^```sh\n([\s\S]*?)^```/gm);
  return Array.from(blocks, ([, block]) => block ?? "")
    .flatMap((block) => block.replace(/\s*\\\n\s*/g, " ").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The rows of every table with this head, as cells. */
export function readTables({ text }: MarkdownPage, head: readonly string[]): string[][] {
  const rows: string[][] = [];
  let isInside = false;
  for (const line of text.split("\n")) {
    const cells = /^\|(.*)\|\s*$/.exec(line)?.[1]?.split("|").map((cell) => cell.trim());
    if (cells === undefined) isInside = false;
    else if (cells.join("|") === head.join("|")) isInside = true;
    else if (isInside && !cells.every((cell) => /^:?-+:?$/.test(cell))) rows.push(cells);
  }
  return rows;
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}
