import { fileKinds } from "./api_words.js";
import { callApi } from "./client.js";
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
    const content = await readContent();
    if (content === null) return;
    const userId = find("reply-user-id").value.trim();
    const isSent = await post("replies", {
      content,
      parts: readFileFlags(content),
      writtenBy: find("reply-as").value,
      ...(userId === "" ? {} : { userId }),
    });
    if (!isSent) return;
    text.value = "";
    find("reply-file").value = "";
    find("reply-kind").value = "text";
    requireFields();
    text.focus();
  });
  find("bubbles").addEventListener("reply", (event) => post("replies", event.detail));
  // The same form tells why the simulator refused.
  find("bubbles").addEventListener(
    "change-message",
    ({ detail }) => send(detail.path, detail.fields),
  );
  find("bubbles").addEventListener("ask-api", ({ detail }) => ask(detail));
  find("mark-read").addEventListener("click", () => post("readings", {}));
  find("reply-kind").addEventListener("change", requireFields);
  find("reply-file").addEventListener("change", () => {
    const file = chosenFile();
    find("reply-kind").value = file === undefined ? "text" : kindOf(file);
    requireFields();
  });
  requireFields();

  /** @returns {Promise<boolean>} whether the simulator accepted it */
  async function post(path, fields) {
    const phone = readPhone();
    return phone !== null && await send(path, { ...phone, ...fields });
  }

  /** Asks the product's API, and tells what came of it. */
  async function ask({ path, ...call }) {
    const note = find("reply-note");
    try {
      const { channel, details } = await callApi(path, call);
      note.textContent = details?.message ?? (channel === "not_supported" ? channel : "");
    } catch (problem) {
      note.textContent = problem.message;
    }
  }

  async function send(path, body) {
    const response = await fetch(`/simulator/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
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

/** A text requires words, an attachment a file or its address. */
function requireFields() {
  const isText = find("reply-kind").value === "text" && chosenFile() === undefined;
  find("reply-text").required = isText;
  find("reply-media").required = !isText && chosenFile() === undefined;
}

function chosenFile() {
  return find("reply-file").files[0];
}

/** @returns {Promise<object | null>} null where there is nothing to send */
async function readContent() {
  const kind = find("reply-kind").value;
  const words = find("reply-text").value.trim();
  const text = words === "" ? null : words;
  const file = chosenFile();
  if (file === undefined) {
    if (kind === "text") return text === null ? null : { messageType: kind, text };
    return { messageType: kind, mediaUrl: find("reply-media").value, text };
  }
  const mediaUrl = await putFile(file);
  if (mediaUrl === null) return null;
  const messageType = kind === "text" ? kindOf(file) : kind;
  // The channels tell the names of documents alone, and carry no caption with sound.
  const fileName = messageType === "document" ? file.name : null;
  return {
    messageType,
    mediaUrl,
    fileName,
    text: fileKinds[messageType].hasWords ? text : null,
    isEmbedded: find("reply-embedded").checked,
  };
}

/** How the phone shows the file, where there is one. */
function readFileFlags({ mediaUrl }) {
  const isSet = (id) => mediaUrl !== undefined && find(id).checked;
  return {
    ...(isSet("reply-once") ? { isViewOnce: true } : {}),
    ...(isSet("reply-gif") ? { isGif: true } : {}),
  };
}

function kindOf({ type }) {
  return /^(image|audio|video)\//.exec(type)?.[1] ?? "document";
}

/** Puts the file on the simulated phone. @returns {Promise<string | null>} its address */
async function putFile(file) {
  const response = await fetch(`/simulator/files?name=${encodeURIComponent(file.name)}`, {
    method: "PUT",
    headers: { "Content-Type": file.type || "application/octet-stream" },
    body: file,
  }).catch(() => null);
  if (response?.ok) return (await response.json()).url;
  find("reply-note").textContent = say("The file could not be sent.");
  return null;
}
