/**
 * Bytes in memory of their own, as Web Crypto takes them: `Uint8Array<ArrayBuffer>`, which the
 * compiler of the hosted runtime (Deno 2.1.4) does not know as a generic type yet.
 */
export type Bytes = ReturnType<TextEncoder["encode"]>;
