/** What Meta sends by name: fields, and types of message. */
import { readLabel, readList } from "../webhooks/fields.ts";
import type { KnownFields } from "../webhooks/known_fields.ts";

const cloudMessageTypes = [
  ...["text", "image", "sticker", "audio", "voice", "video", "document", "interactive", "button"],
  ...["location", "contacts", "reaction", "order", "edit", "revoke", "system", "unsupported"],
  ...["payment", "payment_notification", "payment_method"],
];

export const whatsappCloudKnownFields: KnownFields = {
  read: [
    ...["messages", "smb_message_echoes", "calls", "user_id_update", "user_preferences"],
    ...["history", "smb_app_state_sync", "standby", "messaging_handovers"],
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
};
