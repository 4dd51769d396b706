import { toVisibleText } from "../../shared/model/visible_text.ts";

/**
 * Writes lines to a terminal or what stands for one. What others have written into them commands no terminal
 * and hides nothing: see `toVisibleText`.
 */
export function printText(
  stream: { writeSync(bytes: Uint8Array): number },
  text: string,
): void {
  stream.writeSync(new TextEncoder().encode(toVisibleText(text)));
}
