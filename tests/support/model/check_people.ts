/**
 * Judges what concurrent callers were told of one person's contacts: some order of the calls explains which number
 * had which contact, who had its conversation, which ids were merged into which, and who was forgotten.
 */

import type { ServiceAnswer } from "../stack/service_process.ts";
import { require } from "./contract_breach.ts";
import type { Act, HistoryCall } from "./concurrent_callers.ts";
import { findImpossible, type RecordedCall } from "./linearizable.ts";

interface Contact {
  /** Its own, then those of contacts that were merged into it; null until an answer tells. */
  readonly ids: readonly (string | null)[];
  /** Which of the person's numbers find it. */
  readonly numbers: readonly number[];
  readonly assignedTo: string | null;
  /** Of its conversation; null where a merge has left it open, until an answer tells. */
  readonly status: string | null;
  /** False where no answer has shown one: a waiting batch may make one at any time. */
  readonly hasConversation: boolean;
  /** Its erasure has begun: its ids find nobody, its numbers find it until the erasure has ended. */
  readonly isErasing: boolean;
  /** Whether a call that told no id came by a number of it since: it may have made another contact. */
  readonly mayBeFollowed: boolean;
}

interface Person {
  readonly contacts: readonly Contact[];
  readonly erasedIds: readonly (string | null)[];
  /** Numbers for which a call that told no id may have made a contact. */
  readonly mayHave: readonly number[];
}

/** @throws {ContractBreach} where no order of the calls is possible. */
export function checkPerson(history: readonly HistoryCall[], person: number): void {
  const recorded = history.flatMap((call) => {
    const apply = toStep(call, person);
    return apply === null ? [] : [{
      name: `${JSON.stringify(call.act)} ${describe(call.answer)}`,
      ...{ startedAt: call.startedAt, endedAt: call.endedAt, apply },
    }];
  });
  const impossible = findImpossible<Person>(
    recorded,
    { contacts: [], erasedIds: [], mayHave: [] },
    (state) => JSON.stringify(state),
  );
  require(impossible === null, `the contacts of person ${person}: ${impossible}`);
}

function describe(answer: ServiceAnswer | null): string {
  if (answer === null) return "unanswered";
  const { status, body } = answer;
  const told = body?.items?.[0] ?? body;
  const { contactId, previousAssignedTo, assignedTo, conversation } = told ?? {};
  return [
    ...[status, contactId, previousAssignedTo ?? assignedTo ?? conversation?.assignedTo],
    told?.status ?? conversation?.status,
  ].filter((part) => part !== undefined && part !== null).join(" ");
}

type Step = RecordedCall<Person>["apply"];

/** Null for a call that says nothing of the person's contacts. */
function toStep({ act, answer, person: of }: HistoryCall, one: number): Step | null {
  if (of !== null && of !== one) return null;
  switch (act.kind) {
    case "send":
      // What was refused by the provider was recorded; a repeated call says what was once so.
      if (answer !== null && (![200, 502, 504].includes(answer.status) || answer.isReplay)) {
        return null;
      }
      return (person) =>
        changeContact(person, act.number, answer, (contact) => ({
          ...contact,
          hasConversation: true,
        }));
    case "assign":
      if (answer !== null && answer.status !== 200) return null;
      return (person) =>
        changeContact(
          person,
          act.number,
          answer,
          (contact) =>
            answer === null || answer.body.previousAssignedTo === contact.assignedTo
              ? { ...contact, assignedTo: act.to, hasConversation: true }
              : null,
        );
    case "status":
      if (answer !== null && answer.status !== 200) return null;
      return (person) =>
        changeContact(person, act.number, answer, (contact) => ({
          ...contact,
          ...{ status: act.status, hasConversation: true },
        }));
    case "createBatch":
      if (answer !== null && answer.status !== 201) return null;
      // The answer names no contact.
      return (person) =>
        act.recipients.filter((recipient) => recipient.person === one).reduce<Person | null>(
          (changed, { number }) => changed && changeContact(changed, number, null, (same) => same),
          person,
        );
    case "conversation":
    case "listed":
      return answer === null ? null : (person) => readList(person, act, answer);
    case "contact":
      return answer === null ? null : (person) => readContact(person, act.contactId, answer);
    case "merge":
      return (person) => merge(person, act, answer);
    case "erase":
      return (person) => erase(person, act.contactId, answer);
    case "erasure":
      return answer?.body?.status === "done" ? (person) => forget(person, act.contactId) : null;
    default:
      return null;
  }
}

function replace(person: Person, one: Contact, by: Contact | null): Person {
  const contacts = person.contacts.filter((contact) => contact !== one);
  return { ...person, contacts: by === null ? contacts : [...contacts, by] };
}

function isKnown({ contacts, erasedIds }: Person, id: string): boolean {
  return erasedIds.includes(id) || contacts.some(({ ids }) => ids.includes(id));
}

/** The contact with the id that an answer gave it; null where it has another one. */
function named(person: Person, contact: Contact, id: string): Contact | null {
  const [own, ...merged] = contact.ids;
  if (own === id) return contact;
  return own === null && !isKnown(person, id) ? { ...contact, ids: [id, ...merged] } : null;
}

/** A call by a number: it finds the contact that has it, or makes one. */
function changeContact(
  person: Person,
  number: number,
  answer: ServiceAnswer | null,
  change: (contact: Contact) => Contact | null,
): Person | null {
  const id: string | null = answer?.body?.contactId ?? null;
  const found = person.contacts.find(({ numbers }) => numbers.includes(number));
  const same = found && (id === null ? found : named(person, found, id));
  if (found !== undefined && same) {
    const changed = change({ ...same, mayBeFollowed: same.isErasing && id === null });
    return changed && replace(person, found, changed);
  }
  if (found !== undefined && !found.isErasing) return null;
  const left = found === undefined ? person : endErasure(person, found);
  if (id !== null && isKnown(left, id)) return null;
  const added = change(newContact(id, number));
  return added && { ...left, contacts: [...left.contacts, added] };
}

function newContact(id: string | null, number: number): Contact {
  return {
    ...{ ids: [id], numbers: [number], assignedTo: null, status: "open" },
    ...{ hasConversation: false, isErasing: false, mayBeFollowed: false },
  };
}

interface Conversation {
  readonly assignedTo: string | null;
  readonly status: string;
}

/** The contact with a conversation that was read; null where it has another one. */
function shown(contact: Contact, conversation: Conversation | null): Contact | null {
  if (conversation === null) {
    return contact.hasConversation && !contact.isErasing ? null : contact;
  }
  const { assignedTo, status } = conversation;
  const isSame = contact.assignedTo === assignedTo && (contact.status ?? status) === status;
  return isSame ? { ...contact, status, hasConversation: true } : null;
}

/** What is listed of a number: its contact, or the conversation of that. */
function readList(
  person: Person,
  { kind, number }: Extract<Act, { kind: "conversation" | "listed" }>,
  answer: ServiceAnswer,
): Person | null {
  const items = answer.body.items;
  if (answer.status !== 200 || items.length > 1) return null;
  const [item] = items;
  const found = person.contacts.find(({ numbers }) => numbers.includes(number));
  const mayBeNew = found === undefined ? person.mayHave.includes(number) : found.mayBeFollowed;
  if (mayBeNew && item !== undefined && !isKnown(person, item.contactId)) {
    const left = found === undefined ? person : endErasure(person, found);
    const follower = newContact(item.contactId, number);
    const seen = shown(follower, kind === "listed" ? item.conversation : item);
    return seen && { ...left, contacts: [...left.contacts, seen] };
  }
  if (found === undefined) return item === undefined ? person : null;
  const same = item === undefined ? found : named(person, found, item.contactId);
  if (kind === "listed" && item === undefined) return found.isErasing ? person : null;
  const conversation = kind === "listed" ? item.conversation : item ?? null;
  const changed = same && shown(same, conversation);
  return changed && replace(person, found, changed);
}

/** Every id that a contact has had finds it, until its person is erased: then none does. */
function readContact(person: Person, id: string, answer: ServiceAnswer): Person | null {
  const found = person.contacts.find(({ ids, isErasing }) => ids.includes(id) && !isErasing);
  if (answer.status === 410) return found === undefined && isKnown(person, id) ? person : null;
  if (answer.status !== 200 || found?.ids[0] !== answer.body.contactId) return null;
  const changed = shown(found!, answer.body.conversation);
  return changed && replace(person, found!, changed);
}

function merge(
  person: Person,
  { contactId, intoContactId }: Extract<Act, { kind: "merge" }>,
  answer: ServiceAnswer | null,
): Person | null {
  const [gone, kept] = [contactId, intoContactId].map((id) =>
    person.contacts.find(({ ids, isErasing }) => ids.includes(id) && !isErasing)
  );
  if (gone === undefined || kept === undefined) {
    return answer === null || answer.status === 410 ? person : null;
  }
  if (answer !== null && (answer.status !== 200 || answer.body.contactId !== kept.ids[0])) {
    return null;
  }
  if (gone === kept) return person;
  const isOpen = kept.status === "open" || gone.hasConversation && gone.status === "open";
  const isUnclear = kept.status === null || gone.status === null || !gone.hasConversation;
  return replace(replace(person, gone, null), kept, {
    ids: [...kept.ids, ...gone.ids],
    numbers: [...kept.numbers, ...gone.numbers].sort(),
    assignedTo: kept.assignedTo ?? gone.assignedTo,
    status: isOpen ? "open" : isUnclear ? null : kept.status,
    ...{ hasConversation: true, isErasing: false, mayBeFollowed: false },
  });
}

function erase(person: Person, id: string, answer: ServiceAnswer | null): Person | null {
  const found = person.contacts.find(({ ids, isErasing }) => ids.includes(id) && !isErasing);
  if (found === undefined) {
    return answer === null || answer.status === 410 && isKnown(person, id) ? person : null;
  }
  if (answer !== null && answer.status !== 202) return null;
  return replace(person, found, { ...found, isErasing: true });
}

/** The person without an erased contact: its ids mean nobody, and its numbers find none of its own. */
function endErasure(person: Person, contact: Contact): Person {
  const left = replace(person, contact, null);
  const { numbers, mayBeFollowed } = contact;
  return {
    ...left,
    erasedIds: [...left.erasedIds, ...contact.ids],
    mayHave: [
      ...left.mayHave.filter((number) => !numbers.includes(number)),
      ...mayBeFollowed ? numbers : [],
    ],
  };
}

/** Nothing is left of an erased person: its numbers find nobody. */
function forget(person: Person, id: string): Person | null {
  const found = person.contacts.find(({ ids }) => ids.includes(id));
  if (found === undefined) return isKnown(person, id) ? person : null;
  return found.isErasing ? endErasure(person, found) : null;
}
