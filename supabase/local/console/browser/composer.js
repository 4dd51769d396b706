import { find } from "./dom.js";
import { say } from "./words.js";

/**
 * The form that replies from the chosen phone: typed text, a list choice, and read receipts.
 *
 * @param {() => {provider: string, instance: string, waId: string} | null} readPhone the chosen
 * phone
 */
export function createComposer(readPhone) {
  const form = find("reply-form");
  const text = find("reply-text");

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const content = readContent();
    if (content === null) return;
    const isSent = await post("replies", { content, writtenBy: find("reply-as").value });
    if (!isSent) return;
    text.value = "";
    text.focus();
  });
  find("bubbles").addEventListener("reply", (event) => post("replies", event.detail));
  find("mark-read").addEventListener("click", () => post("readings", {}));
  find("reply-kind").addEventListener("change", requireFields);
  requireFields();

  /** @returns {Promise<boolean>} whether the simulator accepted it */
  async function post(path, fields) {
    const phone = readPhone();
    if (phone === null) return false;
    const response = await fetch(`/simulator/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...phone, ...fields }),
    }).catch(() => null);
    const answer = response?.ok === false ? await response.json() : null;
    find("reply-note").textContent = response === null
      ? say("The simulator does not answer.")
      : answer === null
      ? ""
      : answer.message ?? answer.issues?.[0]?.message ?? answer.error;
    return response?.ok === true;
  }
}

/** A text requires words, an attachment requires its address. */
function requireFields() {
  const isText = find("reply-kind").value === "text";
  find("reply-text").required = isText;
  find("reply-media").required = !isText;
}

function readContent() {
  const messageType = find("reply-kind").value;
  const text = find("reply-text").value.trim();
  if (messageType === "text") return text === "" ? null : { messageType, text };
  return { messageType, mediaUrl: find("reply-media").value, text: text === "" ? null : text };
}
