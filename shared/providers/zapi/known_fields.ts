/** What Z-API sends by name: callbacks, and notifications in them. */
import { readLabel } from "../webhooks/fields.ts";
import type { KnownFields } from "../webhooks/known_fields.ts";

export const zapiKnownFields: KnownFields = {
  read: [
    ...["ReceivedCallback", "MessageStatusCallback", "DeliveryCallback", "ConnectedCallback"],
    ...["DisconnectedCallback", "PresenceChatCallback", "notification.REVOKE"],
    ...["notification.CALL_MISSED_VOICE", "notification.CALL_MISSED_VIDEO"],
  ],
  ignored: {
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
};
