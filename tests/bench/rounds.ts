/** The sides of a comparison. Each call measures once. */
export type Sides<Name extends string> = Readonly<Record<Name, () => Promise<number>>>;

/**
 * Measures the sides alternately (A B A B), after one warm-up round.
 *
 * @returns the measurements of each side in the order of the rounds.
 */
export async function alternate<Name extends string>(
  rounds: number,
  sides: Sides<Name>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (const name of names) await sides[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) measured[name].push(await sides[name]());
  }
  return measured;
}
