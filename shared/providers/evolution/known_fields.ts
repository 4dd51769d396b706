/** What Evolution API sends by name: events, in their spelling with dots. */
import { readLabel } from "../webhooks/fields.ts";
import type { KnownFields } from "../webhooks/known_fields.ts";

export const evolutionKnownFields: KnownFields = {
  read: [
    ...["messages.upsert", "messages.delete", "messages.edited", "messages.update"],
    ...["send.message", "send.message.update", "call"],
    ...["connection.update", "contacts.update", "presence.update"],
  ],
  ignored: {
    "application.startup": "the gateway's own start",
    "chats.delete": "the phone's list of chats",
    "chats.set": "the phone's list of chats",
    "chats.update": "the phone's list of chats",
    "chats.upsert": "the phone's list of chats",
    "contacts.set": "the phone's address book",
    "contacts.upsert": "the phone's address book",
    "group.participants.update": "groups are not administered here",
    "group.update": "groups are not administered here",
    "groups.upsert": "groups are not administered here",
    "instance.create": "the gateway's own administration",
    "instance.delete": "the gateway's own administration",
    "labels.association": "the phone's own labels",
    "labels.edit": "the phone's own labels",
    "logout.instance": "connection.update tells it",
    "messages.set": "messages from before the session was connected",
    "qrcode.updated": "a step of connecting a session",
    "remove.instance": "the gateway's own administration",
    "status.instance": "connection.update tells it",
    "typebot.change.status": "another program's state",
    "typebot.start": "another program's state",
    "errors": "the gateway's own faults",
  },
  list: (payload) => [readLabel(payload, "event")?.toLowerCase().replace(/[_-]/g, ".")],
};
