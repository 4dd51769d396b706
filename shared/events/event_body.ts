import { linkEventData, type MediaLinks } from "../media/links.ts";
import { arrangeAnswer } from "../model/arrange_answer.ts";
import { eventDescriptions, eventSchema } from "./event_data.ts";

/** An event of any type, as the database gives it. */
export interface ToldEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Returns an event as the feed and the webhooks give it: its members in the documented order, instants in
 * UTC, and a new link to its message's file, because the link of an earlier reading may have ended.
 */
export function presentEvent<Event extends ToldEvent>(event: Event, links?: MediaLinks): Event {
  const linked = links === undefined ? event.data : linkEventData(event.data, links);
  const { type } = event;
  const data = Object.hasOwn(eventDescriptions, type)
    ? arrangeAnswer(eventDescriptions[type as keyof typeof eventDescriptions].data, linked)
    : linked;
  return arrangeAnswer(eventSchema, { ...event, data });
}
