// Written by `deno task openapi` from the OpenAPI document. Do not edit.

import type { INodePropertyOptions } from "n8n-workflow";

/** What a message may be. */
export const messageTypes: INodePropertyOptions[] = [
  { name: "Audio", value: "audio" },
  { name: "Buttons", value: "buttons" },
  { name: "Contact Request", value: "contact_request" },
  { name: "Contacts", value: "contacts" },
  { name: "Document", value: "document" },
  { name: "Image", value: "image" },
  { name: "Link Button", value: "link_button" },
  { name: "Location", value: "location" },
  { name: "Location Request", value: "location_request" },
  { name: "Option List", value: "option_list" },
  { name: "Payment Request", value: "payment_request" },
  { name: "Reaction", value: "reaction" },
  { name: "Sticker", value: "sticker" },
  { name: "Text", value: "text" },
  { name: "Video", value: "video" },
  { name: "Voice", value: "voice" },
];

/** States of a message. */
export const messageStatuses: INodePropertyOptions[] = [
  { name: "Canceled", value: "canceled" },
  { name: "Delivered", value: "delivered" },
  { name: "Expired", value: "expired" },
  { name: "Failed", value: "failed" },
  { name: "Queued", value: "queued" },
  { name: "Read", value: "read" },
  { name: "Received", value: "received" },
  { name: "Sending", value: "sending" },
  { name: "Sent", value: "sent" },
  { name: "Unconfirmed", value: "unconfirmed" },
];

/** States of a batch. */
export const batchStatuses: INodePropertyOptions[] = [
  { name: "Canceled", value: "canceled" },
  { name: "Draft", value: "draft" },
  { name: "Finished", value: "finished" },
  { name: "Paused", value: "paused" },
  { name: "Running", value: "running" },
];

/** States of a recipient of a batch. */
export const recipientStatuses: INodePropertyOptions[] = [
  { name: "Canceled", value: "canceled" },
  { name: "Delivered", value: "delivered" },
  { name: "Expired", value: "expired" },
  { name: "Failed", value: "failed" },
  { name: "Pending", value: "pending" },
  { name: "Queued", value: "queued" },
  { name: "Read", value: "read" },
  { name: "Sent", value: "sent" },
  { name: "Skipped", value: "skipped" },
  { name: "Unconfirmed", value: "unconfirmed" },
];

/** What the trigger may start on. */
export const eventTypes: INodePropertyOptions[] = [
  { name: "Agent Needs Person", value: "agent.needs_person" },
  { name: "Agent Paused", value: "agent.paused" },
  { name: "Agent Resumed", value: "agent.resumed" },
  { name: "Batch Finished", value: "batch.finished" },
  { name: "Batch Paused", value: "batch.paused" },
  { name: "Budget Reached", value: "budget.reached" },
  { name: "Budget Warning", value: "budget.warning" },
  { name: "Contact Consent Changed", value: "contact.consent_changed" },
  { name: "Contact Created", value: "contact.created" },
  { name: "Contact Erased", value: "contact.erased" },
  { name: "Contact Identity Changed", value: "contact.identity_changed" },
  { name: "Contact Merged", value: "contact.merged" },
  { name: "Contact Updated", value: "contact.updated" },
  { name: "Conversation Assigned", value: "conversation.assigned" },
  { name: "Conversation Control Changed", value: "conversation.control_changed" },
  { name: "Conversation Idle", value: "conversation.idle" },
  { name: "Conversation Status Changed", value: "conversation.status_changed" },
  { name: "Conversation Turn", value: "conversation.turn" },
  { name: "Endpoint Disabled", value: "endpoint.disabled" },
  { name: "Instance Connected", value: "instance.connected" },
  { name: "Instance Connection Link Used", value: "instance.connection_link_used" },
  { name: "Instance Disconnected", value: "instance.disconnected" },
  { name: "Instance Held", value: "instance.held" },
  { name: "Instance Limit Changed", value: "instance.limit_changed" },
  { name: "Instance Number Changed", value: "instance.number_changed" },
  { name: "Message Canceled", value: "message.canceled" },
  { name: "Message Deleted", value: "message.deleted" },
  { name: "Message Delivered", value: "message.delivered" },
  { name: "Message Edited", value: "message.edited" },
  { name: "Message Expired", value: "message.expired" },
  { name: "Message Failed", value: "message.failed" },
  { name: "Message Reaction", value: "message.reaction" },
  { name: "Message Read", value: "message.read" },
  { name: "Message Received", value: "message.received" },
  { name: "Message Sent", value: "message.sent" },
  { name: "Message Unconfirmed", value: "message.unconfirmed" },
  { name: "Payment Changed", value: "payment.changed" },
  { name: "Question Answered", value: "question.answered" },
  { name: "Question Canceled", value: "question.canceled" },
  { name: "Question Expired", value: "question.expired" },
  { name: "Template Category Warning", value: "template.category_warning" },
  { name: "Template Status Changed", value: "template.status_changed" },
];
