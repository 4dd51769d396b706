/**
 * Webhook payloads of Meta (pages Webhooks: messages, message status, smb_message_echoes,
 * account_update).
 */
import { Buffer } from "node:buffer";
import type { ConnectionChange } from "../channel.ts";
import type { ReplyFileType, SimulatedReply, SimulatedStatus } from "../records.ts";
import { addParts } from "../part_writers.ts";
import { cloudParts } from "./parts.ts";

/** A message of a customer, or one that an employee sent from the WhatsApp Business app. */
export function composeCloudMessage(reply: SimulatedReply): Record<string, unknown> {
  const { writtenBy, instance, waId, userId, providerMessageId, receivedAt, customerName } = reply;
  const message = addParts(
    {
      id: providerMessageId,
      timestamp: toSeconds(receivedAt),
      ...(reply.replyTo === null ? {} : { context: { from: instance, id: reply.replyTo } }),
      ...describeContent(reply),
    },
    cloudParts,
    reply,
  );
  if (writtenBy === "company") {
    return wrap(reply, "smb_message_echoes", {
      message_echoes: [{ from: instance, to: waId, ...message }],
    });
  }
  const kind = reply.parts?.call === undefined ? "messages" : "calls";
  const told = {
    contacts: [{
      profile: { name: customerName },
      wa_id: waId,
      ...(userId && { user_id: userId }),
    }],
    [kind]: [{ from: waId, ...(userId && { from_user_id: userId }), ...message }],
  };
  return reply.isStandby === true
    ? wrap(reply, "standby", { standby: told })
    : wrap(reply, kind, told);
}

/** The members of a message that hold what was written. */
type CloudContent =
  | { readonly type: "text"; readonly text: { readonly body: string } }
  | {
    readonly type: "interactive";
    readonly interactive: {
      readonly type: "list_reply";
      readonly list_reply: { readonly id: string; readonly title: string };
    };
  }
  | {
    readonly type: "button";
    readonly button: { readonly payload: string; readonly text: string };
  }
  | (
    & { readonly type: CloudFileType }
    & { readonly [Type in CloudFileType]?: CloudFile }
  )
  | Readonly<Record<string, never>>;

type CloudFileType = Exclude<ReplyFileType, "voice">;

interface CloudFile {
  readonly id: string;
  readonly mime_type?: string;
  /** In Base64. */
  readonly sha256?: string;
  readonly caption?: string;
  readonly filename?: string;
  readonly voice?: true;
}

function describeContent({ content, providerMessageId }: SimulatedReply): CloudContent {
  switch (content.messageType) {
    case "text":
      return { type: "text", text: { body: content.text } };
    case "none":
      return {};
    case "list_choice":
      return {
        type: "interactive",
        interactive: {
          type: "list_reply",
          list_reply: { id: content.id, title: content.title },
        },
      };
    case "button_choice":
      return { type: "button", button: { payload: content.id, text: content.title } };
    default: {
      const { messageType, text, fileName, file } = content;
      const isVoice = messageType === "voice";
      const type = isVoice ? "audio" : messageType;
      return {
        type,
        [type]: {
          ...(isVoice ? { voice: true } : {}),
          // Meta sends no URL. The file is downloaded by its id.
          id: file?.id ?? `media-${providerMessageId}`,
          ...(file === undefined
            ? {}
            : { mime_type: file.mimeType, sha256: toBase64(file.sha256) }),
          ...(text === null ? {} : { caption: text }),
          ...(fileName === null ? {} : { filename: fileName }),
        },
      };
    }
  }
}

/** The webhooks tell in Base64 what the Graph API tells in hexadecimal. */
function toBase64(hexadecimal: string): string {
  return Buffer.from(hexadecimal, "hex").toString("base64");
}

/** A status of a message. @param correlationId the sender's own id of the message. */
export function composeCloudStatus(
  status: SimulatedStatus,
  correlationId: string | null,
): Record<string, unknown> {
  return wrap(status, "messages", {
    statuses: [{
      id: status.providerMessageId,
      status: status.status,
      timestamp: toSeconds(status.receivedAt),
      recipient_id: status.waId,
      ...describeFailure(status),
      ...describePricing(status),
      ...(correlationId === null ? {} : { biz_opaque_callback_data: correlationId }),
    }],
  });
}

/** How a message is billed, as a member of its status. */
interface CloudPricing {
  readonly pricing?: {
    readonly billable: boolean;
    readonly pricing_model: "PMP";
    readonly type: "free_entry_point" | "regular";
    readonly category: string;
  };
}

/** How Meta bills the message, as members of its status (page Pricing): a kind, never an amount. */
function describePricing(
  { billedAs: category, isFreeEntry = false }: SimulatedStatus,
): CloudPricing {
  if (category === undefined) return {};
  const type = isFreeEntry ? "free_entry_point" : "regular";
  return { pricing: { billable: !isFreeEntry, pricing_model: "PMP", type, category } };
}

/** Why a message did not arrive, as a member of its status. */
interface CloudFailure {
  readonly errors?: readonly {
    readonly code: number;
    readonly title: string;
    readonly message: string;
    readonly error_data: { readonly details: string };
    readonly href: string;
  }[];
}

function describeFailure({ failure }: SimulatedStatus): CloudFailure {
  if (failure === undefined) return {};
  const { code, title, details } = failure;
  return {
    errors: [{
      code,
      title,
      message: title,
      error_data: { details },
      href: "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    }],
  };
}

/** The id of the account in news that name none of a template's own. */
export const anyAccount = "102290129340398";

/** One change of a field, in the envelope of every delivery. `entry`: what stands beside the change. */
export function wrapChange(
  field: string,
  value: Readonly<Record<string, unknown>>,
  entry: { readonly id?: string; readonly time?: number } = {},
): Record<string, unknown> {
  return {
    object: "whatsapp_business_account",
    entry: [{ id: anyAccount, ...entry, changes: [{ value, field }] }],
  };
}

/** One change of a number's field, which names the number in its `metadata`. */
export function wrap(
  { instance }: { readonly instance: string },
  field: string,
  value: Record<string, unknown>,
): Record<string, unknown> {
  const metadata = { display_phone_number: instance, phone_number_id: instance };
  return wrapChange(field, { messaging_product: "whatsapp", metadata, ...value });
}

/** Unix seconds as text, as the channel writes most instants. */
export function toSeconds(instant: string): string {
  return String(Math.floor(Date.parse(instant) / 1_000));
}

/** Meta has disabled the account, or takes that back. */
export function composeCloudConnection(
  { state, at }: ConnectionChange,
): Record<string, unknown> {
  return composeAccountNews("account_update", at, {
    event: "DISABLED_UPDATE",
    ban_info: {
      waba_ban_state: state === "connected" ? "REINSTATE" : "DISABLE",
      waba_ban_date: at.slice(0, 10),
    },
  });
}

/** News of the account, of its numbers or of its templates, which name the instant beside the change. */
export function composeAccountNews(
  field:
    | ("account_update" | "phone_number_quality_update" | "message_template_status_update")
    | ("template_category_update" | "message_template_quality_update")
    | "message_template_components_update",
  at: string,
  value: Readonly<Record<string, unknown>>,
  id = anyAccount,
): Record<string, unknown> {
  return wrapChange(field, value, { id, time: Math.floor(Date.parse(at) / 1_000) });
}
