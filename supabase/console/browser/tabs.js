import { find } from "./dom.js";

const kept = "console-tab";

/**
 * Shows one panel of the side at a time. Arrow keys, Home and End move between the tabs, as the WAI-ARIA
 * pattern of tabs says. A reload shows the same panel again.
 */
export function createTabs() {
  const tabs = Array.from(document.querySelectorAll("[role=tab]"));

  function choose(chosen) {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      find(tab.getAttribute("aria-controls")).hidden = !isChosen;
    }
    sessionStorage.setItem(kept, chosen.id);
    showWhole(chosen);
  }

  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const next = {
        ArrowRight: index + 1,
        ArrowLeft: index - 1 + tabs.length,
        Home: 0,
        End: tabs.length - 1,
      }[key];
      if (next === undefined) return;
      const target = tabs[next % tabs.length];
      choose(target);
      target.focus();
    });
  }
  const former = tabs.find(({ id }) => id === sessionStorage.getItem(kept));
  if (former !== undefined) choose(former);
}

/** Scrolls the row of tabs, never the page, until the tab is in view. */
function showWhole(tab) {
  const row = tab.parentElement;
  const { left, right } = tab.getBoundingClientRect();
  const edge = row.getBoundingClientRect();
  if (left < edge.left) row.scrollLeft -= edge.left - left;
  if (right > edge.right) row.scrollLeft += right - edge.right;
}
