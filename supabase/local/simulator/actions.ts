/** What a sender asks of a gateway beside sending, with the consequences that people see. */
import { changeMessage } from "./changes.ts";
import type { SimulatorContext } from "./context.ts";
import type { ChannelKind, SimulatedMessage } from "./records.ts";

/** How long WhatsApp takes an edit. A later one changes nothing, and no gateway says so. */
const editableMs = 15 * 60_000;

/** A message that was sent through a gateway, by its id. */
export interface SentTarget {
  readonly provider: ChannelKind;
  readonly instance: string;
  readonly providerMessageId: string;
}

/** The message as it was sent; undefined for one that this instance has not sent. */
export function findSent(
  { store }: SimulatorContext,
  { provider, instance, providerMessageId }: SentTarget,
): SimulatedMessage | undefined {
  return store.logs.messages.read({
    matches: (one) =>
      one.provider === provider && one.instance === instance &&
      one.providerMessageId === providerMessageId,
    limit: 1,
  }).items[0];
}

/** Edits a sent message on the phones and tells its echo, unless it is too late: then nothing happens. */
export function editSent(simulator: SimulatorContext, target: SentTarget, text: string): void {
  const sent = findSent(simulator, target);
  if (sent === undefined) return;
  const ageMs = simulator.store.now().getTime() - Date.parse(sent.receivedAt);
  if (ageMs < editableMs) changeMessage(simulator, { ...target, text, isByApi: true });
}

/** Deletes a sent message for everyone and tells its echo. @returns whether there is such a message. */
export function deleteSent(simulator: SimulatorContext, target: SentTarget): boolean {
  return changeMessage(simulator, { ...target, isByApi: true }) !== undefined;
}

/** Whether the company has blocked this person: what the person writes does not arrive. */
export function isBlocked(
  { store }: SimulatorContext,
  person: { readonly provider: ChannelKind; readonly instance: string; readonly waId: string },
): boolean {
  const [last] = store.logs.blocks.read({
    matches: (one) =>
      one.provider === person.provider && one.instance === person.instance &&
      one.waId === person.waId,
    limit: 1,
  }).items;
  return last?.isBlocked ?? false;
}
