/** A contact card as WhatsApp writes it (RFC 2426), which the gateways pass on. */
import type { ReceivedPart } from "../../../shared/model/received_parts.ts";

type Card = ReceivedPart<"contacts">[number];

/** The card's text: one line each. A phone has its WhatsApp id beside it. */
export function writeVCard(card: Card): string {
  const { name, phones, emails = [], organization, urls = [], addresses = [], birthday } = card;
  const digits = (phone: string): string => phone.replace(/\D/g, "");
  return [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:;${escape(name)};;;`,
    `FN:${escape(name)}`,
    ...phones.map((phone, place) =>
      `item${place + 1}.TEL;type=CELL;waid=${digits(phone)}:${escape(phone)}`
    ),
    ...emails.map((email) => `EMAIL;type=INTERNET:${escape(email)}`),
    ...(organization === undefined ? [] : [`ORG:${escape(organization)}`]),
    ...urls.map((url) => `URL:${url}`),
    ...addresses.map((address) => `ADR:;;${escape(address)};;;;`),
    ...(birthday === undefined ? [] : [`BDAY:${escape(birthday)}`]),
    "END:VCARD",
  ].join("\n");
}

function escape(text: string): string {
  return text.replace(/[\\,;]/g, "\\$&").replaceAll("\n", "\\n");
}
