import { consentNames, identityNames } from "./api_words.js";
import { callApi, pollApi, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatInstant, formatNearInstant, formatPhone } from "./format.js";
import { say } from "./words.js";

const sources = {
  api: say("by the API"),
  keyword: say("by a keyword"),
  user_preferences: say("in the channel's settings"),
  erasure: say("since the person was erased"),
  131050: say("by the channel's stop (131050)"),
};

/**
 * Who the chosen phone is, as the product's API tells it: the consent to marketing, and by what the
 * contact is known. Asks for the contact of the form's instance.
 *
 * @param {() => ({waId: string} | null)} readChosen
 * @returns {() => Promise<void>} asks for it now
 */
export function createContact(readChosen) {
  let shown = "";

  function show(contact, sentence) {
    setNote(find("contact-note"), sentence);
    const state = JSON.stringify(contact);
    if (state === shown) return;
    shown = state;
    find("contact-rows").replaceChildren(
      ...(contact === null
        ? []
        : [buildConsent(contact), ...contact.identities.map(buildIdentity), buildBlock(contact)]),
    );
  }

  return pollApi(
    async (api) => {
      const chosen = readChosen();
      if (chosen === null) return show(null, say("Choose a phone to see who it is."));
      const contact = await findContact(api, chosen.waId);
      show(contact, contact === null ? say("This instance has no contact of this phone.") : "");
    },
    (sentence) => show(null, sentence),
  );
}

/** @returns {Promise<object | null>} the contact that an address of the channel finds */
async function findContact(api, waId) {
  const field = /^\d+$/.test(waId) ? "phone" : /^[A-Z]{2}\./.test(waId) ? "userId" : null;
  if (field === null) return null;
  return (await api.read("contacts-api/contacts", { [field]: waId, limit: 1 })).items[0] ?? null;
}

function buildConsent({ name, consent, window }) {
  const { marketing, at, source } = consent;
  return build(
    "li",
    { class: "row" },
    name === null ? null : build("span", { class: "strong", dir: "auto" }, name),
    ...buildWindow(window),
    build(
      "span",
      { class: marketing === "denied" ? "badge warn" : "badge" },
      consentNames[marketing] ?? marketing,
    ),
    at === null ? null : build(
      "small",
      {},
      build("time", { datetime: at }, formatInstant(at)),
      ` ${sources[source] ?? say("by {source}", { source })}`,
    ),
  );
}

/** Whether it may be written to freely, and until when that costs nothing; nothing where it always may. */
function buildWindow({ isOpen, closesAt, freeUntil }) {
  if (isOpen && closesAt === null) return [];
  const words = isOpen
    ? say("open until {time}", { time: formatNearInstant(closesAt) })
    : say("window closed");
  return [
    build("span", { class: isOpen ? "badge" : "badge warn" }, words),
    freeUntil === null ? null : build(
      "span",
      { class: "badge" },
      say("free until {time}", { time: formatNearInstant(freeUntil) }),
    ),
  ];
}

/** Whether the contact is blocked, and the button that changes it, here and on the channel. */
function buildBlock({ contactId, isBlocked }) {
  const words = isBlocked ? say("Unblock") : say("Block");
  const button = build("button", { type: "button", class: "quiet" }, words);
  const note = build("small", {});
  button.addEventListener("click", async () => {
    const path = `contacts-api/${isBlocked ? "unblock" : "block"}`;
    try {
      const { channel, details } = await callApi(path, { method: "POST", body: { contactId } });
      note.textContent = details?.message ?? channel;
    } catch (problem) {
      note.textContent = problem.message;
    }
  });
  return build(
    "li",
    { class: "row" },
    isBlocked ? build("span", { class: "badge warn" }, say("blocked")) : null,
    button,
    note,
  );
}

function buildIdentity({ kind, value, provenAt }) {
  return build(
    "li",
    { class: "row" },
    build("span", { class: "grow mono" }, kind === "phone" ? formatPhone(value) : value),
    build("small", {}, identityNames[kind] ?? kind),
    provenAt === null
      ? build("small", {}, say("not proven"))
      : build("time", { datetime: provenAt, title: say("last proven") }, formatInstant(provenAt)),
  );
}
