/** The ids and addresses of WAHA (pages Send messages and Receive messages). */

/** The bare id of a message, in WhatsApp's format. */
export function createBareId(): string {
  return `3EB0${crypto.randomUUID().replaceAll("-", "").toUpperCase().slice(0, 18)}`;
}

/** The full id: `{true|false}_{chatId}_{id}`, and in a group its author. */
export function writeId(chatId: string, bare: string, fromMe: boolean, author?: string): string {
  return `${fromMe}_${chatId}_${bare}${author === undefined ? "" : `_${author}`}`;
}

/** The bare id in a full one; a bare id unchanged. */
export function bareIdOf(id: string): string {
  return id.includes("@") ? id.split("_")[2] ?? id : id;
}

/** The digits of a personal chat. */
export function digitsOf(chatId: string): string {
  return (chatId.split(/[@:]/)[0] ?? "").replace(/\D/g, "");
}

/** A person's chat, from the digits of the phone. */
export function toChatId(waId: string): string {
  return `${waId}@c.us`;
}
