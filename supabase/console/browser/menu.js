/** A button that opens a menu, by the WAI-ARIA pattern of a menu button. */

import { build } from "./dom.js";

/** Between the button, the menu and the edges of the window, in pixels. */
const gap = 6;

/** Closes the open menu; there is at most one. */
let closeOpen = () => {};

/**
 * Enter, Space, a click and the down arrow open the menu at its first entry, the up arrow at its last. In
 * it arrows, Home, End and first letters move; Enter and Space choose; Escape, Tab, a click elsewhere and
 * scrolling close it. Escape and a choice give the focus back to the button.
 *
 * @param {string} label of the button and of the menu
 * @param {() => {words: string, label?: string, group?: string, act: () => void}[]} listEntries called when
 * it opens. Entries of one `group` stand in a row. An entry without `label` is named by its words.
 * @returns {HTMLElement}
 */
export function buildMenuButton(label, listEntries) {
  const button = build(
    "button",
    {
      type: "button",
      class: "menu-button",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-label": label,
    },
    build("span", { "aria-hidden": "true" }, "⋯"),
  );
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-expanded") === "true") closeOpen();
    else openMenu(button, listEntries());
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    openMenu(button, listEntries(), event.key === "ArrowUp");
  });
  return button;
}

function openMenu(button, entries, startsAtEnd = false) {
  closeOpen();
  const items = entries.map((entry) => buildItem(entry, button));
  const menu = build(
    "div",
    { class: "menu", role: "menu", "aria-label": button.getAttribute("aria-label") },
    ...arrangeItems(entries, items),
  );
  const listening = new AbortController();
  const { signal } = listening;
  closeOpen = () => {
    closeOpen = () => {};
    listening.abort();
    menu.remove();
    button.setAttribute("aria-expanded", "false");
  };
  menu.addEventListener("keydown", (event) => handleKey(event, items, button));
  const closeOutside = ({ target }) => {
    if (!menu.contains(target) && !button.contains(target)) closeOpen();
  };
  document.addEventListener("pointerdown", closeOutside, { signal });
  document.addEventListener("focusin", closeOutside, { signal });
  // The menu stays where it was opened, so it must not outlive a move of its button. That the page was
  // scrolled before may be told after the click.
  const { top, left } = button.getBoundingClientRect();
  const closeMoved = () => {
    const now = button.getBoundingClientRect();
    if (now.top !== top || now.left !== left) closeOpen();
  };
  document.addEventListener("scroll", closeMoved, { capture: true, signal });
  globalThis.addEventListener("resize", () => closeOpen(), { signal });
  button.setAttribute("aria-expanded", "true");
  button.after(menu);
  place(menu, button);
  items.at(startsAtEnd ? -1 : 0).focus({ preventScroll: true });
}

function buildItem({ words, label, act }, button) {
  const item = build(
    "button",
    { type: "button", role: "menuitem", tabindex: "-1", "aria-label": label },
    words,
  );
  item.addEventListener("click", () => {
    closeOpen();
    button.focus({ preventScroll: true });
    act();
  });
  return item;
}

/** Items of one group in a row, the others below each other. */
function arrangeItems(entries, items) {
  const rows = [];
  for (const [index, { group }] of entries.entries()) {
    const last = rows.at(-1);
    if (group !== undefined && last?.dataset.group === group) {
      last.append(items[index]);
      continue;
    }
    rows.push(
      group === undefined
        ? items[index]
        : build("div", { role: "group", "aria-label": group, "data-group": group }, items[index]),
    );
  }
  return rows;
}

function handleKey(event, items, button) {
  const index = items.indexOf(document.activeElement);
  const moves = {
    ...{ ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1 },
    ...{ Home: 0, End: items.length - 1 },
  };
  if (event.key === "Escape") {
    closeOpen();
    button.focus({ preventScroll: true });
  } else if (event.key === "Tab") {
    // Without preventDefault: the focus moves on from the button.
    closeOpen();
    button.focus({ preventScroll: true });
    return;
  } else if (Object.hasOwn(moves, event.key)) {
    items[(moves[event.key] + items.length) % items.length].focus();
  } else if (/^\S$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    findByLetter(items, index, event.key)?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The next item whose words begin with the letter. */
function findByLetter(items, index, letter) {
  return [...items.slice(index + 1), ...items.slice(0, index + 1)]
    .find(({ textContent }) => textContent.toLowerCase().startsWith(letter.toLowerCase()));
}

/** Below the button, or above it where the window ends; within the window sideways. */
function place(menu, button) {
  const at = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = at.bottom + gap;
  const top = below + height + gap <= innerHeight ? below : Math.max(gap, at.top - gap - height);
  const left = Math.min(Math.max(gap, at.right - width), innerWidth - width - gap);
  menu.style.top = `${top}px`;
  menu.style.left = `${left}px`;
}
