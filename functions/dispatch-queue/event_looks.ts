import type { WebhookWork } from "../../shared/database/rpcs/queue.ts";
import { LookPace, onEventsAnnounced } from "../../shared/runtime/event_announcement.ts";
import { maxSleepMs } from "../../shared/messages/wake_up.ts";

/**
 * Pauses between two looks for new events. Under load the events of many requests share one look. Without
 * an announcement the poll of the queue finds them.
 */
const lookBounds = { leastMs: 20, mostMs: maxSleepMs };

/**
 * Decides when a dispatcher run looks for due deliveries: when events are announced, when a poll of the
 * queue says that some are due, and when a call has ended that others wait for. One look at a time: what
 * asks during a look gets another one after it.
 */
export class EventLooks {
  readonly #announcements = new LookPace(lookBounds);
  /** Apart, because what waits for a dead endpoint is due at every poll, and no place is free for it. */
  readonly #polls = new LookPace(lookBounds);
  readonly #endListening: () => void;
  #hasEndpoints = false;
  #isLooking = false;
  #mustLookAgain = false;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param look starts a look: calls `EventLooks.run`, and watches over what it returns. */
  constructor(private readonly look: (pace: LookPace | undefined) => void) {
    this.#endListening = onEventsAnnounced(() => {
      // Without an endpoint, no delivery follows from what is recorded.
      if (this.#hasEndpoints) this.#lookSoon();
    });
  }

  /** Acts on what a poll of the queue says about webhooks. */
  notice(work: WebhookWork): void {
    this.#hasEndpoints = work !== "none";
    if (work === "due" && this.#polls.waitMs() <= 0) this.now(this.#polls);
  }

  /** Looks now, or again after the look that is under way. */
  now(pace?: LookPace): void {
    pace?.begin();
    if (this.#isLooking) this.#mustLookAgain = true;
    else if (!this.#isEnded) this.look(pace);
  }

  /**
   * Looks until nothing asks for another look.
   *
   * @param claim looks once. Returns how much it found; null where nothing can be taken now.
   */
  async run(pace: LookPace | undefined, claim: () => Promise<number | null>): Promise<void> {
    this.#isLooking = true;
    try {
      do {
        this.#mustLookAgain = false;
        const found = await claim();
        if (found === null) return;
        pace?.note(found > 0);
      } while (this.#mustLookAgain && !this.#isEnded);
    } finally {
      this.#isLooking = false;
    }
  }

  /** No look begins after it. */
  end(): void {
    this.#isEnded = true;
    this.#endListening();
    clearTimeout(this.#timer);
  }

  /** Looks at once after a quiet time, else when the pause since the last look is over. */
  #lookSoon(): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    const waitMs = this.#announcements.waitMs();
    if (waitMs <= 0) return this.now(this.#announcements);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.now(this.#announcements);
    }, waitMs);
  }
}
