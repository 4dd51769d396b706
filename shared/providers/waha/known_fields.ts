/** What WAHA sends by name (page Events; names as of 2026.9). */
import { readLabel } from "../webhooks/fields.ts";
import type { KnownFields } from "../webhooks/known_fields.ts";

const groups = "groups are not administered here";
const labels = "the phone's own labels";

export const wahaKnownFields: KnownFields = {
  read: [
    ...["message", "message.any", "message.reaction", "message.ack", "message.ack.group"],
    ...["message.edited", "message.revoked", "poll.vote", "poll.vote.failed", "event.response"],
    ...["call.rejected", "presence.update", "session.status"],
  ],
  ignored: {
    "call.accepted": "a call that somebody has answered",
    "call.received": "a call that rings: its end tells whether it was missed",
    "chat.archive": "the phone's list of chats",
    "engine.event": "the engine's own events, for finding faults in WAHA",
    "event.response.failed": "an answer that WAHA could not decrypt, and does not tell",
    "group.join": groups,
    "group.leave": groups,
    "group.v2.join": groups,
    "group.v2.leave": groups,
    "group.v2.participants": groups,
    "group.v2.participants.join-request": groups,
    "group.v2.update": groups,
    "label.chat.added": labels,
    "label.chat.deleted": labels,
    "label.deleted": labels,
    "label.upsert": labels,
    "message.waiting": "a message that the phone has not decrypted yet: it comes as message",
    "state.change": "the engine's own state: session.status tells the session's",
  },
  list: (payload) => [readLabel(payload, "event")?.toLowerCase()],
};
