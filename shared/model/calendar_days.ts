/** Days of a calendar, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

const dayMs = 86_400_000;

/** The number of days of a period; zero or less if it ends before it starts. */
export function countDays({ start, end }: Period): number {
  return (Date.parse(end) - Date.parse(start)) / dayMs + 1;
}
