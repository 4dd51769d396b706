/** Reads contact cards: vCards, as the gateways pass them on. */
import { cutText } from "../../model/cut_text.ts";
import { cleanText } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";

type Card = ReceivedPart<"contacts">[number];

const MAX_LINES = 200;
const MAX_CARD = 20_000;
const MAX_VALUE = 200;
const MAX_VALUES = 10;

/** A line of a card: its name without group and parameters, and its value. */
interface CardLine {
  readonly name: string;
  readonly whatsappId: string | undefined;
  readonly value: string;
}

/**
 * The card in a vCard's text; undefined without a name and a phone. `displayName` is the provider's name
 * of it, `phones` are those that it tells besides.
 */
export function readCard(
  vCard: string | undefined,
  displayName: string | undefined,
  phones: readonly string[] = [],
): Card | undefined {
  const lines = readLines(vCard ?? "");
  const values = (name: string): string[] =>
    lines.filter((line) => line.name === name && line.value !== "").slice(0, MAX_VALUES)
      .map(({ value }) => value);
  const name = displayName ?? values("FN")[0] ?? values("N")[0];
  const written = lines.filter((line) => line.name === "TEL").slice(0, MAX_VALUES)
    .flatMap(({ value, whatsappId }) => [value, whatsappId]);
  const all = distinctPhones([...written, ...phones]);
  if (name === undefined && all.length === 0) return undefined;
  return toCard({
    name: name ?? all[0] ?? "",
    phones: all,
    emails: values("EMAIL"),
    organization: [...values("ORG").slice(0, 1), ...values("TITLE").slice(0, 1)].join(", "),
    urls: values("URL"),
    addresses: values("ADR"),
    birthday: values("BDAY")[0],
  });
}

/** A card without members that are empty. */
export function toCard(card: Card): Card {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === "" || Array.isArray(value) && value.length === 0;
  const given = Object.entries(card).filter(([name, value]) =>
    name === "phones" || name === "name" || !isEmpty(value)
  );
  return Object.fromEntries(given) as Card;
}

/** Each phone once, in the first of its spellings. */
export function distinctPhones(phones: readonly (string | undefined)[]): string[] {
  const known = new Map<string, string>();
  for (const phone of phones) {
    const digits = phone?.replace(/\D/g, "") ?? "";
    if (phone !== undefined && digits !== "" && !known.has(digits)) known.set(digits, phone);
  }
  return [...known.values()];
}

function readLines(vCard: string): CardLine[] {
  const unfolded = cutText(vCard, MAX_CARD).replace(/\r?\n[ \t]/g, "");
  return unfolded.split(/\r?\n/).slice(0, MAX_LINES).map(readLine)
    .filter((line) => line !== undefined);
}

/** `item1.TEL;type=CELL;waid=5511…:+55 11 …`. */
function readLine(line: string): CardLine | undefined {
  const [head, ...rest] = line.split(":");
  if (head === undefined || rest.length === 0) return undefined;
  const [name = "", ...parameters] = head.split(";");
  const whatsappId = parameters.map((parameter) => /^waid=(\d{5,20})$/i.exec(parameter)?.[1])
    .find((digits) => digits !== undefined);
  const value = rest.join(":").replace(/\\n/gi, " ").split(/(?<!\\);/)
    .map((part) => part.replace(/\\([,;\\])/g, "$1").trim())
    .filter((part) => part !== "").join(", ");
  return {
    name: name.replace(/^[^.]*\./, "").toUpperCase(),
    whatsappId,
    value: cleanText(value, MAX_VALUE),
  };
}
