/** Who holds a conversation of the official channel, and what it can be asked to change about it. */

/**
 * `us`; `channel_agent`, Meta's Business Agent; `other`, another responder, or one that the channel does not
 * name.
 */
export const conversationHolders = ["us", "channel_agent", "other"] as const;
export type ConversationHolder = (typeof conversationHolders)[number];

/** Why another one holds a conversation now. */
export const controlReasons = [
  ...["passed", "taken", "released", "message", "standby", "merged"] as const,
] as const;
export type ControlReason = (typeof controlReasons)[number];

/** What a call may ask the channel to do with a conversation. */
export const controlActions = ["take", "pass", "release"] as const;
export type ControlAction = (typeof controlActions)[number];

/** Whom a conversation can be passed to (Meta, page Conversation routing). */
export const controlRoles = [
  ...["customer_service", "marketing", "utility", "ctwa", "ai_agent", "escalation"] as const,
] as const;
export type ControlRole = (typeof controlRoles)[number];

/** Who holds a conversation that went to a role; `other` for an unknown one. */
export function toHolder(role: string | undefined): ConversationHolder {
  return role === "ai_agent" ? "channel_agent" : "other";
}
