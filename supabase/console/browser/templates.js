import { buildJsonInit, inTurn } from "./client.js";
import { build, find } from "./dom.js";
import { say } from "./words.js";

/** Decisions by the path that takes them, with what it needs of the form. */
const paths = {
  tomorrow: {
    path: "template-categories",
    read: ({ category }) => ({ category, when: "tomorrow" }),
  },
  now: { path: "template-categories", read: ({ category }) => ({ category, when: "now" }) },
  ...Object.fromEntries(["GREEN", "YELLOW", "RED"].map((quality) => [
    quality,
    { path: "template-qualities", read: () => ({ quality }) },
  ])),
  ...Object.fromEntries(["APPROVED", "REJECTED", "PAUSED"].map((status) => [
    status,
    {
      path: "template-reviews",
      read: ({ reason }) => reason === "" ? { status } : { status, reason },
    },
  ])),
};

/** The templates of the simulated accounts, and what Meta decides about them. */
export function createTemplates() {
  const form = find("template-form");

  const refresh = inTurn(async () => {
    const { items } = await (await fetch("/simulator/templates")).json();
    find("templates").hidden = items.length === 0;
    find("templates-count").textContent = String(items.length);
    const select = form.elements.templateId;
    const chosen = select.value;
    select.replaceChildren(
      ...items.map(({ id, name, language }) =>
        build("option", { value: id }, `${name} ${language}`)
      ),
    );
    if (items.some(({ id }) => id === chosen)) select.value = chosen;
    find("template-rows").replaceChildren(...items.map(buildTemplate));
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { templateId, decision, ...fields } = Object.fromEntries(new FormData(form));
    const { path, read } = paths[decision];
    const body = { templateId, ...read(fields) };
    const response = await fetch(`/simulator/${path}`, buildJsonInit("POST", body));
    const answer = await response.json();
    find("template-note").textContent = response.ok ? say("Told.") : answer.message;
    await refresh();
  });
  return { refresh };
}

function buildTemplate({ name, language, status, category, quality_score: quality }) {
  const rating = quality === undefined ? "" : ` · ${quality.score}`;
  return build(
    "li",
    { class: "row" },
    build("span", { class: status === "APPROVED" ? "badge" : "badge warn" }, status),
    build(
      "span",
      { class: "grow" },
      name,
      build("small", {}, ` ${language} · ${category}${rating}`),
    ),
  );
}
