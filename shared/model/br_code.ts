/**
 * Pix copy-and-paste codes (BR Code): fields of two digits id, two digits length and a value, as the EMV
 * specification for merchant-presented codes has them, with the rules of Banco Central's manual.
 */
import { readCents, writeAmount } from "./money.ts";
import { isCnpj, isCpf } from "./tax_number.ts";

/** The types of keys, as requests name them. */
export const pixKeyTypes = ["cpf", "cnpj", "email", "phone", "random"] as const;
export type PixKeyType = (typeof pixKeyTypes)[number];

/** What a code says. */
export interface BrCode {
  /** A static code holds the receiver's key, a dynamic one the address of a charge. */
  readonly kind: "static" | "dynamic";
  /** The key, or the address without its scheme. */
  readonly key: string;
  readonly merchantName: string;
  readonly merchantCity: string;
  /** In cents; null where the payer types it, or the charge decides. */
  readonly cents: bigint | null;
  /** The txid as written; null where the code has none. */
  readonly txid: string | null;
}

export type CheckedBrCode =
  | { readonly code: BrCode; readonly fault?: undefined }
  | { readonly fault: string; readonly code?: undefined };

/** The most that the EMV specification gives a code. */
export const longestBrCode = 512;

const pixDomain = "br.gov.bcb.pix";

/**
 * Checks a code whole: its characters, structure, checksum, and what Pix needs of it. `fault` says what is
 * wrong, in words that follow the field's name, and never repeats the code. `cents`: the amount that it must
 * have, if it names one.
 */
export function checkBrCode(text: string, cents?: bigint): CheckedBrCode {
  if (/[\r\n]/.test(text)) return { fault: "must not contain line breaks" };
  if (!/^[\x20-\x7e]*$/.test(text)) return { fault: "must be ASCII characters alone" };
  if (text.length > longestBrCode) {
    return { fault: `must not be longer than ${longestBrCode} characters` };
  }
  if (text.trim() !== text) return { fault: "must not begin or end with a blank" };
  if (!text.startsWith("000201")) return { fault: "is no Pix code: it must begin with 000201" };
  const fields = readFields(text);
  if (fields === null) return { fault: "is cut off or altered: its fields have wrong lengths" };
  const [last] = [...fields.keys()].slice(-1);
  if (last !== "63") {
    const fault = fields.has("63")
      ? "must end with its checksum (field 63)"
      : "lacks its checksum (field 63)";
    return { fault };
  }
  if (fields.get("63") !== writeChecksum(text.slice(0, -4))) {
    return { fault: "has a wrong checksum: a character of it is missing or was changed" };
  }
  return readBrCode(fields, cents);
}

function readBrCode(fields: ReadonlyMap<string, string>, cents?: bigint): CheckedBrCode {
  const missing = ["52", "53", "58", "59", "60"].find((id) => !fields.get(id));
  if (missing !== undefined) return { fault: `lacks field ${missing}` };
  if (fields.get("53") !== "986") return { fault: "must be in reais (field 53: 986)" };
  if (fields.get("58") !== "BR") return { fault: "must be of Brazil (field 58: BR)" };
  const account = readPixAccount(fields);
  if ("fault" in account) return account;
  const written = fields.get("54");
  const amount = written === undefined ? null : readCents(written);
  if (written !== undefined && amount === null) return { fault: "has no valid amount (field 54)" };
  if (amount !== null && cents !== undefined && amount !== cents) {
    return {
      fault: `is of another amount: ${writeAmount(amount)}, not ${writeAmount(cents)}`,
    };
  }
  const code: BrCode = {
    ...account,
    merchantName: fields.get("59") ?? "",
    merchantCity: fields.get("60") ?? "",
    cents: amount,
    txid: readFields(fields.get("62") ?? "")?.get("05") ?? null,
  };
  return { code };
}

/** The account in the one template of Pix, which may have any of the ids of accounts. */
function readPixAccount(
  fields: ReadonlyMap<string, string>,
): Pick<BrCode, "kind" | "key"> | { readonly fault: string } {
  const accounts = [...fields].flatMap(([id, value]) => {
    if (Number(id) < 26 || Number(id) > 51) return [];
    const account = readFields(value);
    return account?.get("00")?.toLowerCase() === pixDomain ? [account] : [];
  });
  const [account] = accounts;
  if (account === undefined) return { fault: "is no Pix code: it lacks the account of Pix" };
  if (accounts.length > 1) return { fault: "has two accounts of Pix" };
  const key = account.get("01");
  const address = account.get("25");
  if (key && address) return { fault: "has both a key and the address of a charge" };
  if (key) return { kind: "static", key };
  return address
    ? { kind: "dynamic", key: address }
    : { fault: "has neither a key nor the address of a charge" };
}

/** The fields in their order; null where lengths do not fit, or an id stands twice. */
function readFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const head = /^(\d{2})(\d{2})$/.exec(text.slice(at, at + 4));
    const [, id = "", length = ""] = head ?? [];
    const end = at + 4 + Number(length);
    if (head === null || end > text.length || fields.has(id)) return null;
    fields.set(id, text.slice(at + 4, end));
    at = end;
  }
  return fields;
}

/** CRC-16 with the polynomial 0x1021 and the start 0xFFFF, over all before its digits, `6304` included. */
function writeChecksum(text: string): string {
  let crc = 0xffff;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index) << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

/** What a static code is built of. `name` and `city` may be any text with a letter or digit. */
export interface StaticCode {
  readonly key: string;
  readonly merchantName: string;
  readonly merchantCity: string;
  readonly cents: bigint;
  /** The caller's reference, from which the txid is made. */
  readonly reference: string;
}

/** How many characters a code has for each. */
export const merchantLengths = { merchantName: 25, merchantCity: 15 } as const;

const longestTxid = 25;

/** Builds the static code that asks for an amount. The key is one that `findPixKeyFault` accepts. */
export function buildStaticCode(
  { key, merchantName, merchantCity, cents, reference }: StaticCode,
): string {
  const text = [
    writeField("00", "01"),
    writeField("01", "11"),
    writeField("26", writeField("00", pixDomain) + writeField("01", key)),
    writeField("52", "0000"),
    writeField("53", "986"),
    writeField("54", writeAmount(cents)),
    writeField("58", "BR"),
    writeField("59", foldToAscii(merchantName, merchantLengths.merchantName)),
    writeField("60", foldToAscii(merchantCity, merchantLengths.merchantCity)),
    writeField("62", writeField("05", toTxid(reference))),
    "6304",
  ].join("");
  return text + writeChecksum(text);
}

function writeField(id: string, value: string): string {
  return id + String(value.length).padStart(2, "0") + value;
}

/** Letters that are no letter of ASCII with a mark. */
const foldedLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  ø: "o",
  Ø: "O",
  œ: "oe",
  Œ: "OE",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
};

/** The text without accents, as codes carry it, and cut to what they hold; signs beyond ASCII are left out. */
export function foldToAscii(text: string, most: number): string {
  const folded = text.normalize("NFKD").replace(
    /[^\x20-\x7e]/g,
    (sign) => foldedLetters[sign] ?? (/\s/.test(sign) ? " " : ""),
  );
  return folded.replace(/ {2,}/g, " ").trim().slice(0, most).trim();
}

/** A txid is letters and digits: those of the reference, the last 25, as references differ at their end. */
export function toTxid(reference: string): string {
  return reference.replace(/[^A-Za-z0-9]/g, "").slice(-longestTxid) || "***";
}

const keyForms: {
  readonly [Type in PixKeyType]: { fits: (key: string) => boolean; form: string };
} = {
  cpf: { fits: isCpf, form: "must be a CPF: 11 digits, with right check digits" },
  cnpj: { fits: isCnpj, form: "must be a CNPJ: 14 digits or letters, with right check digits" },
  email: {
    fits: (key) => key.length <= 77 && /^[\x21-\x3f\x41-\x5a\x5e-\x7e]+@[a-z0-9.-]+$/.test(key),
    form: "must be an e-mail address of at most 77 characters",
  },
  phone: {
    fits: (key) => /^\+55\d{10,11}$/.test(key),
    form: "must be a phone of Brazil, +55 and 10 or 11 digits",
  },
  random: {
    fits: (key) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key),
    form: "must be a random key, a UUID",
  },
};

/** The key as Pix keeps it: numbers without their punctuation, small letters. Whether it is one is not checked. */
export function normalizePixKey(key: string, type: PixKeyType): string {
  const bare = key.trim();
  if (type === "cpf" || type === "cnpj") return bare.replace(/[./ -]/g, "").toUpperCase();
  return type === "phone" ? bare.replace(/[() -]/g, "") : bare.toLowerCase();
}

/** What is wrong with a normalized key; null where it has the form of its type. */
export function findPixKeyFault(key: string, type: PixKeyType): string | null {
  const { fits, form } = keyForms[type];
  return fits(key) ? null : form;
}

/** The type of a key in a code, where eleven digits are a CPF; `random` for an address of a charge. */
export function pixKeyTypeOf(key: string): PixKeyType {
  const candidates = ["cpf", "cnpj", "phone", "email"] as const;
  return candidates.find((type) => keyForms[type].fits(normalizePixKey(key, type))) ?? "random";
}
