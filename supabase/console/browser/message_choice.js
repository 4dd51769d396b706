import { build } from "./dom.js";
import { say } from "./words.js";

/** Passes the customer's choice to the composer, which sends the reply. */
export function buildChoice(
  messageType,
  { id, title },
  replyTo,
  label = say("Choose {title}", { title }),
) {
  const button = build("button", { type: "button", class: "choice", dir: "auto" }, label);
  button.addEventListener("click", () => {
    const detail = { content: { messageType, id, title }, replyTo };
    button.dispatchEvent(new CustomEvent("reply", { bubbles: true, detail }));
  });
  return button;
}
