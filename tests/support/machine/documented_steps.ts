/** The blocks of commands of a page, as the tests that follow a page read them. */

export interface DocumentedStep {
  /** Of the comment above the block, `<!-- start, with systemd -->`; empty without one. */
  readonly name: string;
  /** `sh` for commands. */
  readonly language: string;
  /** Without the indentation of a list. */
  readonly text: string;
  /** Whether the block stands in a list. */
  readonly isInList: boolean;
}

/** In the order of the page. @param page its path or URL. */
export async function readSteps(page: string | URL): Promise<DocumentedStep[]> {
  const text = await Deno.readTextFile(page);
  const blocks = text.matchAll(
    /(?:^ *<!-- (.+) -->\n\s*?\n)?^( *)```(\w+)\n([^]*?)^ *```/gm,
  );
  return Array.from(blocks, ([, name = "", indent = "", language = "", block = ""]) => ({
    name,
    language,
    text: block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    isInList: indent !== "",
  }));
}
