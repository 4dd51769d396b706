/** The little of Postgres' protocol that the keeper of sessions speaks. */

export const cancelRequest = 80_877_102;
/** A client's last message. */
export const terminate = "X\0\0\0\x04";
/** The server's word that it waits for the next command, without the state of the transaction. */
export const readyForQuery = "Z\0\0\0\x05";

/** Reads a client's first message, whose first four bytes are its length. */
export async function readStartup(client: Deno.Conn): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  const buffer = new Uint8Array(4_096);
  while (bytes.length < 8 || bytes.length < readNumber(bytes, 0)) {
    const length = await client.read(buffer);
    if (length === null) throw new Error("the client left before it had said who it is");
    bytes = concatenate(bytes, buffer.subarray(0, length));
  }
  return bytes;
}

/** The number by which a first message names its version, or that it is a request to cancel. */
export function versionOf(startup: Uint8Array): number {
  return readNumber(startup, 4);
}

/** The settings of a first message, in their order: user, database and others. */
export function readSettings(startup: Uint8Array): Map<string, string> {
  const words = toText(startup.subarray(8)).split("\0");
  const settings = new Map<string, string>();
  for (let index = 0; words[index]; index += 2) settings.set(words[index]!, words[index + 1] ?? "");
  return settings;
}

/** A first message with these settings. */
export function writeStartup(settings: ReadonlyMap<string, string>): Uint8Array {
  const text = [...settings].map(([name, value]) => `${name}\0${value}\0`).join("");
  const message = toBytes(`${"\0".repeat(4)}\0\x03\0\0${text}\0`);
  new DataView(message.buffer).setUint32(0, message.length);
  return message;
}

/** A query of the simple protocol. */
export function writeQuery(statement: string): Uint8Array {
  const message = toBytes(`Q${"\0".repeat(4)}${statement}\0`);
  new DataView(message.buffer).setUint32(1, message.length - 1);
  return message;
}

/** The server's refusal of a client: FATAL, with a SQLSTATE. */
export function writeRefusal(code: string, message: string): Uint8Array {
  const text = toBytes(`E${"\0".repeat(4)}SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  new DataView(text.buffer).setUint32(1, text.length - 1);
  return text;
}

/** What the server says after authentication: the messages from AuthenticationOk to the first ReadyForQuery. */
export class Greeting {
  #bytes = new Uint8Array();

  /** @returns the whole greeting once it has arrived. */
  add(bytes: Uint8Array): Uint8Array | null {
    this.#bytes = concatenate(this.#bytes, bytes);
    let start = 0;
    for (let at = 0; at + 5 <= this.#bytes.length;) {
      const end = at + 1 + readNumber(this.#bytes, at + 1);
      if (end > this.#bytes.length) return null;
      const type = toText(this.#bytes.subarray(at, at + 1));
      if (type === "R" && readNumber(this.#bytes, at + 5) === 0) start = at;
      if (type === "Z") return this.#bytes.slice(start, end);
      at = end;
    }
    return null;
  }
}

/** A character per byte. */
export function toText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** A byte per character. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function readNumber(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

function concatenate(one: Uint8Array, two: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(one.length + two.length);
  joined.set(one);
  joined.set(two, one.length);
  return joined;
}
