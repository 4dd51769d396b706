/** Who has answered the reads of this process that a standby may answer: counted, for the metrics. */

const readAnswers = [
  /** The standby. */
  "standby",
  /** The primary, because the standby had not replayed far enough, or is none of this primary. */
  "behind",
  /** The primary, because the standby did not answer. */
  "lost",
  /** The primary, because the standby's replay canceled the read, or it could not be made there. */
  "failed",
  /** The primary, because every connection to the standby was in use for a second. */
  "busy",
  /** The primary, because the standby had failed within the last second. */
  "avoided",
] as const;

export type ReadAnswer = typeof readAnswers[number];

const counts = new Map<ReadAnswer, number>(readAnswers.map((answer) => [answer, 0]));

export function countRead(answer: ReadAnswer): void {
  counts.set(answer, (counts.get(answer) ?? 0) + 1);
}

/** How often each has answered. */
export function listReads(): readonly (readonly [answer: ReadAnswer, count: number])[] {
  return [...counts];
}
