import { find } from "./dom.js";

/**
 * The panel that sends a position, a card, an order and whatever else a customer's phone may send. The
 * page has the fields of each kind; a kind that the phone's provider does not tell is not offered.
 *
 * @param {() => {provider: string} | null} readPhone the chosen phone
 */
export function createPartForm(readPhone) {
  const kinds = find("part-kind");
  kinds.addEventListener("change", showFields);
  find("part-panel").addEventListener("toggle", offerKinds);
  kinds.addEventListener("focus", offerKinds);
  find("part-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const part = readPart(findFields(kinds.value));
    const words = find("part-words").value.trim();
    const detail = {
      parts: { [kinds.value]: part },
      writtenBy: find("reply-as").value,
      // Words stand beside an ad or a forwarding; a position says itself what it is.
      ...(words === "" || isAlone(kinds.value)
        ? {}
        : { content: { messageType: "text", text: words } }),
    };
    find("bubbles").dispatchEvent(new CustomEvent("reply", { detail }));
  });
  showFields();

  function offerKinds() {
    const provider = readPhone()?.provider;
    for (const option of kinds.options) {
      option.disabled = !option.dataset.providers.split(" ").includes(provider);
      option.hidden = option.disabled;
    }
    if (kinds.selectedOptions[0]?.disabled) {
      kinds.value = [...kinds.options].find((option) => !option.disabled)?.value ?? "";
    }
    showFields();
  }

  function isAlone(kind) {
    const alone = [...kinds.options].find(({ value }) => value === kind)?.dataset.alone ?? "";
    return alone.split(" ").includes(readPhone()?.provider);
  }

  function showFields() {
    for (const fields of find("part-form").querySelectorAll("fieldset")) {
      fields.hidden = fields.dataset.part !== kinds.value;
      fields.disabled = fields.hidden;
    }
    find("part-words").disabled = isAlone(kinds.value);
  }
}

function findFields(kind) {
  return find("part-form").querySelector(`fieldset[data-part="${kind}"]`);
}

/** The part in its fields: those that are filled in, each at its path. */
function readPart(fields) {
  let part;
  for (const control of fields.querySelectorAll("input, select")) {
    const value = readValue(control);
    if (value !== undefined) part = place(part, pathOf(control), value);
  }
  return part;
}

function pathOf({ name }) {
  return name === "" ? [] : name.split(".");
}

function readValue({ dataset, value, checked }) {
  if (dataset.as === "flag") return checked ? true : undefined;
  if (value.trim() === "") return undefined;
  if (dataset.as === "number") return Number(value);
  if (dataset.as !== "json") return value.trim();
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The value at its path. A number in the path is a place in a list. */
function place(whole, [name, ...rest], value) {
  if (name === undefined) return value;
  if (!/^\d+$/.test(name)) return { ...whole, [name]: place(whole?.[name], rest, value) };
  const list = [...(whole ?? [])];
  const index = Math.min(Number(name), list.length);
  list[index] = place(list[index], rest, value);
  return list;
}
