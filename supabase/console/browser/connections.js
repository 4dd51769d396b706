import { buildJsonInit, inTurn } from "./client.js";
import { build, find } from "./dom.js";
import { serviceNames } from "./simulated_names.js";
import { say } from "./words.js";

/**
 * The connections of the instances at the simulated providers, each with a button that takes it away
 * or gives it back.
 *
 * @param {() => void} onChange called after a change
 */
export function createConnections(onChange) {
  const refresh = inTurn(async () => {
    const { items } = await (await fetch("/simulator/connections")).json();
    const lost = items.filter(({ state }) => state === "disconnected");
    find("connections-count").textContent = String(items.length - lost.length);
    find("connections").replaceChildren(...items.map(buildConnection));
  });

  function buildConnection({ provider, instance, state }) {
    const isLost = state === "disconnected";
    const button = build(
      "button",
      { type: "button", class: "quiet" },
      isLost ? say("Connect") : say("Disconnect"),
    );
    button.addEventListener("click", async () => {
      const next = isLost ? "connected" : "disconnected";
      await fetch(
        "/simulator/connections",
        buildJsonInit("POST", { provider, instance, state: next }),
      );
      await refresh();
      onChange();
    });
    return build(
      "li",
      { class: "row" },
      build("span", { class: isLost ? "badge warn" : "badge" }, serviceNames[provider] ?? provider),
      build(
        "span",
        { class: "grow" },
        instance,
        build("small", {}, ` ${isLost ? say("disconnected") : say("connected")}`),
      ),
      button,
    );
  }

  return { refresh };
}
