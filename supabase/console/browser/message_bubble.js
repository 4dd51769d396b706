import { fileKinds } from "./api_words.js";
import { build, buildLink, isWebAddress } from "./dom.js";
import { formatDuration, formatInstant, formatTime } from "./format.js";
import { summarizeMedia } from "./media_summary.js";
import { buildSentActions } from "./message_actions.js";
import { buildChoice } from "./message_choice.js";
import { buildPartsAbove, buildPartsBelow, summarizeParts } from "./message_parts.js";
import { faultNames } from "./simulated_names.js";
import { say } from "./words.js";

/**
 * One message as the customer's phone shows it.
 *
 * @param {object} message a record of the simulator
 */
export function buildBubble(message) {
  return build(
    "li",
    {
      class: "bubble",
      "data-seq": String(message.seq),
      "data-message": message.providerMessageId,
    },
    message.template === null ? null : buildTemplateHead(message.template),
    message.mediaUrl === null ? null : buildMedia(toFile(message)),
    buildPartsAbove(message.parts),
    message.text === null ? null : build("p", { class: "text", dir: "auto" }, message.text),
    message.template === null
      ? null
      : buildTemplateEnd(message.template, message.providerMessageId),
    message.optionList === null
      ? null
      : buildOptionList(message.optionList, message.providerMessageId),
    buildPartsBelow(message),
    buildAnswer(message),
    buildFoot(message),
  );
}

/** A file above buttons is shown as its own kind. */
function toFile(message) {
  const { headerType = message.messageType } = message.parts;
  return { ...message, messageType: headerType };
}

/** What became of the answer, where it was no plain acceptance. */
function buildAnswer(message) {
  const { answer } = message;
  if (answer === "accepted") return null;
  if (answer === "held") return buildAssessment(message);
  const fault = faultNames[answer] ?? answer;
  return build(
    "p",
    { class: "lost" },
    say("Arrived, but the answer was spoiled: {fault}", { fault }),
  );
}

/** The channel holds the message, until somebody lets it go or drops it. */
function buildAssessment({ instance, providerMessageId }) {
  const decide = (outcome, words) => {
    const button = build("button", { type: "button", class: "quiet" }, words);
    button.addEventListener("click", () => {
      button.dispatchEvent(
        new CustomEvent("change-message", {
          bubbles: true,
          detail: { path: "quality-assessments", fields: { instance, providerMessageId, outcome } },
        }),
      );
    });
    return button;
  };
  return build(
    "p",
    { class: "lost" },
    say("Held for a quality assessment"),
    " ",
    decide("released", say("Let it go")),
    " ",
    decide("dropped", say("Drop it")),
  );
}

/** A one-line summary of the message, for the list of phones and for screen readers. */
export function summarize(message) {
  if (message.template !== null) {
    return message.text ?? say("Template {name}", { name: message.template.name });
  }
  if (message.optionList !== null) {
    return say("Options: {text}", { text: message.text ?? message.optionList.title });
  }
  return summarizeMedia(message) ?? summarizeParts(message);
}

/** The message's state, its price and its time, and the menu of what can be done with it. */
function buildFoot(message) {
  const { providerMessageId, receivedAt, typingMs } = message;
  return build(
    "p",
    { class: "foot" },
    build("span", { class: "tick", "data-status-of": providerMessageId }),
    build("span", { class: "tick", "data-price-of": providerMessageId }),
    typingMs > 0
      ? build(
        "span",
        {},
        say("typing shown for {duration}", { duration: formatDuration(typingMs) }),
      )
      : null,
    build("span", { class: "reaction", "data-reaction-to": providerMessageId }),
    build(
      "time",
      { datetime: receivedAt, title: formatInstant(receivedAt) },
      formatTime(receivedAt),
    ),
    buildSentActions(message, summarize(message)),
  );
}

/**
 * The file of a message or a reply: the picture, the sound or the film, and a link.
 *
 * @param {{messageType: string, mediaUrl: string, fileName: string | null}} message
 */
export function buildMedia(message) {
  const { messageType, mediaUrl, fileName } = message;
  const kind = fileKinds[messageType].name;
  const label = fileName ?? nameOfAddress(mediaUrl) ?? kind;
  const details = [label === kind ? null : kind, originOf(mediaUrl)].filter((part) =>
    part !== null
  );
  return build(
    "figure",
    { class: "media" },
    buildPreview(messageType, mediaUrl),
    build(
      "figcaption",
      {},
      build("span", { class: "sign", "aria-hidden": "true" }, iconOf(message)),
      build(
        "span",
        { class: "media-name" },
        isWebAddress(mediaUrl) ? buildLink(mediaUrl, label) : label,
        details.length === 0 ? null : build("small", {}, details.join(" · ")),
      ),
    ),
  );
}

/** The picture, or a player. If the file cannot be loaded, it is hidden and the link below remains. */
function buildPreview(messageType, address) {
  const isShown = /^(https:|data:)/.test(address) || address.startsWith(`${location.origin}/`);
  if (!isShown) return null;
  const preview = buildElement(messageType, address);
  preview?.addEventListener("error", () => preview.remove());
  return preview;
}

function buildElement(messageType, src) {
  switch (fileKinds[messageType].element) {
    case "img":
      return build("img", {
        src,
        alt: say("Preview of the image"),
        loading: "lazy",
        referrerpolicy: "no-referrer",
      });
    case "audio":
      return build("audio", { src, controls: true, preload: "metadata" });
    case "video":
      return build("video", { src, controls: true, preload: "metadata" });
    default:
      return null;
  }
}

/** Undefined for an address without a name: those of this stack end in an id, or in a name for any file. */
function nameOfAddress(address) {
  if (!isWebAddress(address)) return undefined;
  const { origin, pathname } = new URL(address);
  const name = pathname.split("/").at(-1);
  return name === "" || origin === location.origin ? undefined : name;
}

/** The file's extension, as on the cover of a folder; its kind if it has none. */
function iconOf({ messageType, mediaUrl, fileName }) {
  const name = fileName ?? (isWebAddress(mediaUrl) ? new URL(mediaUrl).pathname : "");
  return (/\.([a-z0-9]{2,4})$/i.exec(name)?.[1] ?? fileKinds[messageType].icon).toUpperCase();
}

/** Null for a file of this stack. */
function originOf(address) {
  if (!isWebAddress(address)) return say("sent inline");
  const { origin, host } = new URL(address);
  return origin === location.origin ? null : host;
}

function buildOptionList(list, providerMessageId) {
  return build(
    "details",
    { class: "options", open: true },
    build("summary", {}, build("span", { "aria-hidden": "true" }, "☰ "), list.buttonLabel),
    list.title === "" ? null : build("p", { class: "options-title" }, list.title),
    build(
      "ul",
      {},
      ...list.options.map((option) =>
        build(
          "li",
          {},
          build("span", { class: "option-title" }, option.title),
          build("code", { title: say("Option id") }, option.id),
          option.description === null ? null : build("small", {}, option.description),
          buildChoice("list_choice", option, providerMessageId),
        )
      ),
    ),
  );
}

/** What a template shows above its text: its name, and its header or the header's file. */
function buildTemplateHead({ name, language, header, components }) {
  const parameter = components.find(({ type }) => type === "header")?.parameters[0];
  const mediaUrl = parameter?.[parameter.type]?.link;
  return build(
    "div",
    { class: "template" },
    build("p", { class: "template-name" }, build("strong", {}, name), language),
    mediaUrl === undefined
      ? null
      : buildMedia({ messageType: parameter.type, mediaUrl, fileName: null }),
    header ? build("p", { class: "strong", dir: "auto" }, header) : null,
  );
}

/** What a template shows below its text: its footer and its buttons. */
function buildTemplateEnd({ footer, buttons = [] }, providerMessageId) {
  return build(
    "div",
    { class: "template" },
    footer ? build("p", {}, build("small", { dir: "auto" }, footer)) : null,
    buttons.length === 0 ? null : build(
      "ul",
      { class: "buttons" },
      ...buttons.map((button) => build("li", {}, buildTemplateButton(button, providerMessageId))),
    ),
  );
}

function buildTemplateButton({ id, title, url }, providerMessageId) {
  if (id !== null) return buildChoice("button_choice", { id, title }, providerMessageId, title);
  return url === null ? build("span", { dir: "auto" }, title) : buildLink(url, title);
}
