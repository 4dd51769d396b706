/** Which of several servers may be written to. */

/** What a server says of itself. */
export interface ServerAnswer {
  /** Whether it replays another server's log. */
  readonly isStandby: boolean;
  /** Whether its sessions only read by default: an operator, or the provider of a full disk, has set it so. */
  readonly isReadOnly: boolean;
  /** The cluster: a standby has that of its primary, a restored dump and an upgraded copy have another one. */
  readonly systemIdentifier: string;
  /** Each promotion raises it. Null for a standby, which has none of its own. */
  readonly timeline: number | null;
}

/** The code of the driver or of Postgres with which a server failed to answer. */
export interface ServerFault {
  readonly code: string;
}

/** What is known of the cluster, from all that was answered so far. */
export interface SeenCluster {
  readonly systemIdentifier: string;
  readonly timeline: number;
}

/** One choice: the place in the list of the server to write to, or null, and what is known now. */
export interface PrimaryChoice {
  readonly place: number | null;
  readonly seen: SeenCluster | null;
  /** For each server why it is not written to; null for the one that is. */
  readonly reasons: readonly (string | null)[];
}

/**
 * Chooses the server to write to. Never one whose timeline is lower than one that was seen: it was the primary
 * before a promotion, and what it accepts is lost. Never one of another cluster. Of several that take writes
 * (a former primary that was not fenced) it is the one of the highest timeline.
 *
 * @param current place of the server that is written to now; it stays where nothing speaks against it.
 */
export function choosePrimary(
  answers: readonly (ServerAnswer | ServerFault)[],
  seen: SeenCluster | null,
  current: number | null,
): PrimaryChoice {
  const systemIdentifier = seen?.systemIdentifier ?? answers.find(isAnswer)?.systemIdentifier;
  const timelines = answers.map((answer) =>
    isAnswer(answer) && answer.systemIdentifier === systemIdentifier ? answer.timeline ?? 0 : 0
  );
  const newest = Math.max(seen?.timeline ?? 0, ...timelines);
  const reasons = answers.map((answer) => {
    if (!isAnswer(answer)) return `does not answer (${answer.code})`;
    if (answer.systemIdentifier !== systemIdentifier) return "is of another cluster";
    if (answer.isStandby) return "is a standby";
    if (answer.timeline !== newest) return "is a former primary, of before a promotion";
    return answer.isReadOnly ? "takes no writes (default_transaction_read_only)" : null;
  });
  const place = current !== null && reasons[current] === null ? current : reasons.indexOf(null);
  return {
    place: place < 0 ? null : place,
    seen: systemIdentifier === undefined ? seen : { systemIdentifier, timeline: newest },
    reasons,
  };
}

function isAnswer(answer: ServerAnswer | ServerFault): answer is ServerAnswer {
  return !("code" in answer);
}
