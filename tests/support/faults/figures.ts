/** Prints the counts of a fault test on one line. */
export function printFigures(
  name: string,
  figures: Readonly<Record<string, number | string>>,
): void {
  const words = Object.entries(figures).map(([key, value]) => `${key} ${value}`);
  Deno.stdout.writeSync(new TextEncoder().encode(`${name}: ${words.join(", ")}\n`));
}
