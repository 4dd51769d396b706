/**
 * What providers send by name: what the readers take, and what they leave out, each with the reason. A name
 * in neither list is new: it is counted, and the payload is kept.
 */
import { readLabel, readList } from "./fields.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";

interface KnownFields {
  readonly read: readonly string[];
  /** By name: why no event follows. */
  readonly ignored: Readonly<Record<string, string>>;
  /** The names in a payload. */
  readonly list: (payload: unknown) => readonly (string | undefined)[];
}

const cloudMessageTypes = [
  ...["text", "image", "sticker", "audio", "voice", "video", "document", "interactive", "button"],
  ...["location", "contacts", "reaction", "order", "edit", "revoke", "system", "unsupported"],
  ...["payment", "payment_notification", "payment_method"],
];

export const knownFields: Readonly<Record<ProviderKind, KnownFields>> = {
  whatsapp_cloud: {
    read: [
      ...["messages", "smb_message_echoes", "calls", "user_id_update", "user_preferences"],
      ...["history", "smb_app_state_sync", "standby"],
      ...["message_template_status_update", "account_update", "phone_number_quality_update"],
      ...["message_template_components_update", "message_template_quality_update"],
      ...["template_category_update", "phone_number_name_update", "business_capability_update"],
      ...["business_username_updates", "business_username_update"],
      ...cloudMessageTypes.map((type) => `messages.${type}`),
    ],
    ignored: {
      "messages.request_welcome": "a person has opened the chat and said nothing",
      account_alerts: "advice to the account's owner, which Meta mails as well",
      account_review_update: "the account's review, which Meta mails as well",
      account_settings_update: "settings that no send depends on",
      automatic_events: "events for advertisers, guessed from messages that we have",
      business_status_update: "the business's standing, which account_update tells by account",
      flows: "the health of a form's endpoint, which is not ours",
      group_lifecycle_update: "groups are not administered here",
      group_participants_update: "groups are not administered here",
      group_settings_update: "groups are not administered here",
      group_status_update: "groups are not administered here",
      messaging_handovers: "another app answers the thread: standby tells what it says",
      partner_solutions: "contracts of partners",
      payment_configuration_update: "settings that no send depends on",
      security: "changes of the number's PIN, which Meta mails as well",
      template_correct_category_detection:
        "a template's category, which template_category_update tells",
      tracking_events: "events for advertisers",
    },
    list: (payload) =>
      readList(payload, "entry").flatMap((entry) => readList(entry, "changes"))
        .flatMap((change) => [
          readLabel(change, "field"),
          ...[
            ...readList(change, "value", "messages"),
            ...readList(change, "value", "standby", "messages"),
          ].map((message) => {
            const type = readLabel(message, "type");
            return type === undefined ? undefined : `messages.${type}`;
          }),
        ]),
  },
  zapi: {
    read: [
      ...["ReceivedCallback", "MessageStatusCallback", "DeliveryCallback", "ConnectedCallback"],
      ...["DisconnectedCallback", "notification.REVOKE"],
      ...["notification.CALL_MISSED_VOICE", "notification.CALL_MISSED_VIDEO"],
    ],
    ignored: {
      PresenceChatCallback: "whether somebody types: true for seconds, and told too often to keep",
      "notification.BIZ_MOVE_TO_CONSUMER_APP": "WhatsApp's own words about an account",
      "notification.BLUE_MSG_SELF_PREMISE_UNVERIFIED": "WhatsApp's own words about an account",
      "notification.BLUE_MSG_SELF_PREMISE_VERIFIED": "WhatsApp's own words about an account",
      "notification.CALL_VOICE": "a call that rings: its end tells whether it was missed",
      "notification.CHAT_LABEL_ASSOCIATION": "the phone's own labels",
      "notification.CIPHERTEXT": "WhatsApp's own words about encryption",
      "notification.E2E_ENCRYPTED": "WhatsApp's own words about encryption",
      "notification.GROUP_CREATE": "groups are not administered here",
      "notification.GROUP_PARTICIPANT_ADD": "groups are not administered here",
      "notification.GROUP_PARTICIPANT_LEAVE": "groups are not administered here",
      "notification.GROUP_PARTICIPANT_REMOVE": "groups are not administered here",
      "notification.MEMBERSHIP_APPROVAL_REQUEST": "groups are not administered here",
      "notification.NEWSLETTER_ADMIN_DEMOTE": "channels are not administered here",
      "notification.NEWSLETTER_ADMIN_PROMOTE": "channels are not administered here",
      "notification.PAYMENT_ACTION_REQUEST_DECLINED":
        "a step of a payment between phones, which names no message",
      "notification.PROFILE_NAME_UPDATED": "the business's own profile",
      "notification.PROFILE_PICTURE_UPDATED": "the business's own profile",
      "notification.REVOKED_MEMBERSHIP_REQUESTS": "groups are not administered here",
    },
    list: (payload) => {
      const notification = readLabel(payload, "notification");
      return [
        readLabel(payload, "type"),
        notification === undefined ? undefined : `notification.${notification}`,
      ];
    },
  },
  evolution: {
    read: [
      ...["messages.upsert", "messages.delete", "messages.edited", "send.message.update"],
      ...["send.message", "messages.update", "call", "connection.update", "contacts.update"],
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
      "presence.update": "whether somebody types: true for seconds, and told too often to keep",
      "qrcode.updated": "a step of connecting a session",
      "remove.instance": "the gateway's own administration",
      "status.instance": "connection.update tells it",
      "typebot.change.status": "another program's state",
      "typebot.start": "another program's state",
      "errors": "the gateway's own faults",
    },
    list: (payload) => [readLabel(payload, "event")?.toLowerCase().replace(/[_-]/g, ".")],
  },
};

const MAX_UNKNOWN = 20;
/** A name becomes a metric's label: it may hold no number of a person. */
const namePattern = /^[A-Za-z._-]{1,46}\d{0,4}$/;

/** Names in a payload that are in neither list, each once, at most twenty; `other` for a strange one. */
export function listUnknownFields(provider: string, payload: unknown): string[] {
  const known = Object.entries(knownFields).find(([kind]) => kind === provider)?.[1];
  if (known === undefined) return [];
  const { read, ignored, list } = known;
  const unknown = list(payload).filter((name) => name !== undefined)
    .filter((name) => !read.includes(name) && !Object.hasOwn(ignored, name))
    .map((name) => namePattern.test(name) ? name : "other");
  return [...new Set(unknown)].slice(0, MAX_UNKNOWN);
}
