/** Encodes bytes as text and back. The hosted runtime lacks `Uint8Array.toBase64` and `toHex`. */

/** Lower-case hexadecimal. */
export function encodeHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Base64url without padding (RFC 4648 section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64url without padding. @returns null for any other text. */
export function decodeBase64Url(text: string): BufferSource | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** Decodes base64 with or without padding. @returns null for any other text. */
export function decodeBase64(text: string): BufferSource | null {
  if (/\s/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Hexadecimal SHA-256 of the text's UTF-8 bytes, lower case. */
export async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return encodeHex(new Uint8Array(digest));
}
