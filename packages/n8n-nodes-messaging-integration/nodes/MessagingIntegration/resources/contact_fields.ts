import type { INodeProperties } from "n8n-workflow";
import {
  idempotencyKeyField,
  instantField,
  jsonField,
  listOfWordsField,
  otherFieldsField,
  textField,
} from "../shared/fields";

/** What a contact has. An empty text takes a value away. */
export const createFields: INodeProperties[] = [
  textField("company", "Company"),
  jsonField("customLabels", "Custom Labels", "Keys and values of your own"),
  { ...textField("email", "Email"), placeholder: "name@email.com" },
  idempotencyKeyField,
  textField("jobTitle", "Job Title"),
  textField("name", "Name"),
  textField("notes", "Notes"),
  otherFieldsField,
  listOfWordsField("tags", "Tags", "All tags of the contact, separated by commas"),
  textField("utmCampaign", "UTM Campaign"),
  textField("utmMedium", "UTM Medium"),
  textField("utmSource", "UTM Source"),
];

/** What only an update changes. */
export const flagFields: INodeProperties[] = [
  flagField("isArchived", "Archived", "Whether the contact is archived"),
  flagField("isBlocked", "Blocked", "Whether messages to the contact are refused"),
  flagField("isFavorite", "Favorite", "Whether the contact is a favorite"),
];

function flagField(name: string, displayName: string, description: string): INodeProperties {
  return {
    displayName,
    name,
    type: "boolean",
    default: true,
    description,
    routing: { send: { type: "body", property: name } },
  };
}

/** Which contacts are listed. */
export const contactFilters: INodeProperties[] = [
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    default: {},
    displayOptions: { show: { resource: ["contact"], operation: ["getAll"] } },
    options: [
      textField("assignedTo", "Assigned To", "Email address or UUID of an operator", "query"),
      {
        displayName: "Consent",
        name: "consent",
        type: "options",
        options: [
          { name: "Denied", value: "denied" },
          { name: "Granted", value: "granted" },
          { name: "Unknown", value: "unknown" },
        ],
        default: "granted",
        routing: { send: { type: "query", property: "consent" } },
      },
      textField("contactId", "Contact ID", undefined, "query"),
      textField("phone", "Phone", "8 to 15 digits with country code", "query"),
      textField("referral", "Referral", "Contacts that an ad or a post has brought", "query"),
      textField(
        "q",
        "Search",
        "A part of the name, the phone number or the email address",
        "query",
      ),
      textField("tag", "Tag", undefined, "query"),
      instantField("updatedSince", "Updated Since", "Only contacts that changed after it", "query"),
      textField("userId", "User ID", undefined, "query"),
    ],
  },
];
