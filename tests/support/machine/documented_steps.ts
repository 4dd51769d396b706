/** The named blocks of commands of a page: `<!-- name -->` and the block below it. */

export interface DocumentedStep {
  /** `start, with systemd`. */
  readonly name: string;
  /** `sh` for commands. */
  readonly language: string;
  readonly text: string;
}

/** In the order of the page. @throws {Error} for a block of commands without a name. */
export async function readSteps(page: string): Promise<DocumentedStep[]> {
  const text = await Deno.readTextFile(page);
  const blocks = text.matchAll(/(?:<!-- (.+) -->\s+)?```(\w+)\n([^]*?)```/g);
  return Array.from(blocks, ([, name = "", language = "", commands = ""]) => {
    if (name === "" && language === "sh") {
      throw new Error(`${page} has commands without a name:\n${commands}`);
    }
    return { name, language, text: commands };
  });
}
