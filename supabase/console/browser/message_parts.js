import { build, buildLink } from "./dom.js";
import { buildPayment, isPixCode } from "./payment_view.js";
import { buildChoice } from "./message_choice.js";
import { say } from "./words.js";

/** What stands above a message's text: the text of its header. */
export function buildPartsAbove({ header }) {
  return header === undefined ? null : build("p", { class: "strong", dir: "auto" }, header);
}

/** What stands below a message's text: a place, cards, buttons, a link, the footer. */
export function buildPartsBelow(message) {
  const { parts, messageType, providerMessageId, text } = message;
  const { location, contacts, buttons, linkButton, footer } = parts;
  const payment = parts.payment ?? (isPixCode(text) ? { code: text } : undefined);
  const shown = [
    payment === undefined ? null : buildPayment(payment, message),
    location === undefined ? null : buildLocation(location),
    ...(contacts ?? []).map(buildCard),
    footer === undefined ? null : build("p", {}, build("small", { dir: "auto" }, footer)),
    buildButtons([
      ...(buttons ?? []).map((button) =>
        buildChoice("button_choice", button, providerMessageId, button.title)
      ),
      linkButton === undefined ? null : buildLink(linkButton.url, linkButton.title),
      messageType === "location_request" ? build("span", {}, say("Send location")) : null,
    ]),
  ].filter((part) => part !== null);
  return shown.length === 0 ? null : build("div", { class: "template" }, ...shown);
}

function buildButtons(buttons) {
  const given = buttons.filter((button) => button !== null);
  return given.length === 0
    ? null
    : build("ul", { class: "buttons" }, ...given.map((button) => build("li", {}, button)));
}

function buildLocation({ latitude, longitude, name, address }) {
  return build(
    "p",
    { class: "text", dir: "auto" },
    build("span", { "aria-hidden": "true" }, "📍 "),
    build("strong", {}, name ?? `${latitude}, ${longitude}`),
    address === undefined ? null : build("small", {}, ` ${address}`),
  );
}

function buildCard({ name, phones, emails = [], organization, urls = [] }) {
  const details = [organization, ...phones, ...emails, ...urls].filter((word) =>
    word !== undefined
  );
  return build(
    "p",
    { class: "text", dir: "auto" },
    build("span", { "aria-hidden": "true" }, "👤 "),
    build("strong", {}, name),
    build("small", {}, ` ${details.join(" · ")}`),
  );
}

/** One line for a message without a file: its words, or what it holds. */
export function summarizeParts({ text, parts }) {
  const { location, contacts } = parts;
  if (location !== undefined) {
    const place = location.name ?? `${location.latitude}, ${location.longitude}`;
    return say("Location: {place}", { place });
  }
  if (contacts !== undefined) {
    return say("Contact: {name}", { name: contacts.map(({ name }) => name).join(", ") });
  }
  return text ?? "";
}
