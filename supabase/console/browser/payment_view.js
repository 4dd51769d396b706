import { copyOnClick } from "./copy_button.js";
import { build, buildLink } from "./dom.js";
import { formatAmount } from "./prices.js";
import { say } from "./words.js";

/** Whether a text is a Pix code and nothing else. */
export function isPixCode(text) {
  return text !== null && /^000201[\x20-\x7e]{20,500}6304[0-9A-F]{4}$/.test(text);
}

/**
 * What a message asks to be paid: the amount, what is bought, and what a phone copies or opens. The last button shows
 * a receipt, as a person who has paid does.
 */
export function buildPayment({ amount, items = [], code, key, link, boleto }, message) {
  return build(
    "div",
    { class: "payment" },
    amount === null || amount === undefined
      ? null
      : build("p", { class: "strong" }, formatAmount(amount, "BRL")),
    ...items.map(({ name, quantity }) =>
      build("p", { dir: "auto" }, build("small", {}, `${quantity} × ${name}`))
    ),
    build(
      "ul",
      { class: "buttons" },
      ...[
        code === undefined ? null : buildCopy(code, say("Copy the Pix code")),
        key === undefined ? null : buildCopy(key, say("Copy the Pix key")),
        boleto === undefined ? null : buildCopy(boleto, say("Copy the boleto")),
        link === undefined ? null : buildLink(link, say("Open the payment link")),
        buildReceipt(message),
      ].filter((button) => button !== null).map((button) => build("li", {}, button)),
    ),
  );
}

function buildCopy(words, label) {
  const button = build("button", { type: "button", class: "choice" }, label);
  copyOnClick(button, () => words);
  return button;
}

function buildReceipt({ provider, instance, providerMessageId }) {
  const button = build("button", { type: "button", class: "choice" }, say("Show a receipt"));
  button.addEventListener("click", () => {
    const detail = { path: "receipts", fields: { provider, instance, providerMessageId } };
    button.dispatchEvent(new CustomEvent("change-message", { bubbles: true, detail }));
  });
  return button;
}
