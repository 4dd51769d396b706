/** Votes that Evolution API tells as an update of their poll, `messages.update` with `pollUpdates`. */
import {
  chooseAddresses,
  type EventAddresses,
  isGroupAddress,
  normalizeAddress,
  readGroupAddress,
} from "../webhooks/addresses.ts";
import { attributeToAuthor, toAuthor, toPart } from "../webhooks/content.ts";
import { readList, readName } from "../webhooks/fields.ts";
import type { MessageEvent } from "../webhooks/provider_event.ts";
import { cleanText, ID_MAX, readId, readValue } from "../../model/json_value.ts";

const MAX_OPTIONS = 100;
/** The most voters of one update. Evolution tells each vote by itself (source, 2.3.7). */
const MAX_VOTERS = 20;

/** What surrounds the update: the instance's own address, and the instant of its telling. */
export interface VoteSource {
  readonly own: unknown;
  readonly toldAt: unknown;
}

/**
 * The votes in an update of a poll, one for each voter; undefined for an update of another kind. It has
 * neither an id nor an instant of its own: the id is made of the poll's, the voter's and the instant of the
 * telling, which is the same when Evolution repeats it. Our own votes are left out. No voter at all says
 * that the person of the chat has taken a vote back; in a group it says nothing of whom.
 */
export function readPollVotes(
  data: unknown,
  source: VoteSource,
): MessageEvent[] | undefined {
  const options = readList(data, "pollUpdates").slice(0, MAX_OPTIONS);
  const pollId = readId(data, "keyId") ?? readId(data, "key", "id");
  if (options.length === 0 || pollId === undefined) return undefined;
  const chat = readValue(data, "remoteJid") ?? readValue(data, "key", "remoteJid");
  const voters = listVoters(options);
  const isTakenBack = voters.length === 0 && !isGroupAddress(chat);
  const people = isTakenBack ? [chat] : voters.filter((voter) => isOther(voter, source.own));
  return people.map((voter) => toVote({ options, pollId, chat, voter, source }))
    .filter((vote) => vote !== undefined);
}

/** What is needed of an update to tell one person's vote. */
interface Vote {
  readonly options: readonly unknown[];
  readonly pollId: string;
  readonly chat: unknown;
  readonly voter: unknown;
  readonly source: VoteSource;
}

function toVote({ options, pollId, chat, voter, source }: Vote): MessageEvent | undefined {
  const isGroup = isGroupAddress(chat);
  const person = chooseAddresses([voter]);
  const addresses = isGroup ? readGroupAddress(chat) : readChat(chat, voter, source.own);
  if (addresses === undefined || person === undefined) return undefined;
  const chosen = options.filter((option) => readList(option, "voters").includes(voter))
    .map((option) => readName(option, "name")).filter((name) => name !== undefined);
  const content = toPart("poll_vote", "pollVote", { pollId, options: chosen });
  const mark = typeof source.toldAt === "string" ? source.toldAt : chosen.join("|");
  return {
    kind: "message",
    origin: "inbound",
    mayRepeat: true,
    providerMessageId: cleanText(`vote:${pollId}:${person.address}:${mark}`, ID_MAX),
    ...addresses,
    ...(isGroup ? attributeToAuthor(content, toAuthor(undefined, person)) : content),
    isGroup,
    quotedProviderMessageId: pollId,
  };
}

/** The two addresses of the one person of a chat. */
function readChat(chat: unknown, voter: unknown, own: unknown): EventAddresses | undefined {
  return chooseAddresses([chat, voter].filter((address) => isOther(address, own)));
}

/** Each voter once. Baileys leaves our own empty, or writes `me`. */
function listVoters(options: readonly unknown[]): unknown[] {
  const voters = options.flatMap((option) => readList(option, "voters").slice(0, MAX_VOTERS));
  return [...new Set(voters)].slice(0, MAX_VOTERS);
}

function isOther(voter: unknown, own: unknown): boolean {
  const address = normalizeAddress(voter);
  return address !== undefined && address !== "me" && address !== normalizeAddress(own);
}
