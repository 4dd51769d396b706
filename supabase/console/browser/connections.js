import { buildJsonInit, inTurn } from "./client.js";
import { build, find } from "./dom.js";
import { serviceNames } from "./simulated_names.js";
import { say } from "./words.js";

/** A phone of no instance. */
const anotherPhone = "5521977776666";

const behaviorNames = {
  normal: say("works"),
  slow: say("has no code at first"),
  passkey: say("asks for the passkey"),
  error: say("errs with status 200"),
  down: say("is down"),
};

/**
 * The connections of the instances at the simulated providers, each with a button that takes it away
 * or gives it back, and of a gateway that waits for a phone the phones that may scan its code.
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

  async function post(path, body) {
    await fetch(`/simulator/${path}`, buildJsonInit("POST", body));
    await refresh();
    onChange();
  }

  /** What a gateway does while it waits for a phone, and the phones that may scan its code. */
  function buildPairing({ provider, instance, isPairing, behavior, ownPhone }) {
    const choice = build(
      "select",
      { "aria-label": say("What the gateway does") },
      ...Object.entries(behaviorNames).map(([value, name]) =>
        build("option", { value, selected: value === behavior }, name)
      ),
    );
    choice.addEventListener("change", () => {
      void post("sessions", { provider, instance, behavior: choice.value });
    });
    const scan = (name, scanning) => {
      const button = build("button", { type: "button", class: "quiet" }, name);
      button.addEventListener("click", () => {
        void post("pairings", { provider, instance, phone: scanning });
      });
      return button;
    };
    return build(
      "div",
      { class: "pair" },
      choice,
      isPairing && ownPhone !== null ? scan(say("Scan the code"), ownPhone) : null,
      isPairing ? scan(say("Scan with another phone"), anotherPhone) : null,
    );
  }

  function buildConnection(connection) {
    const { provider, instance, state } = connection;
    const isLost = state === "disconnected";
    const button = build(
      "button",
      { type: "button", class: "quiet" },
      isLost ? say("Connect") : say("Disconnect"),
    );
    button.addEventListener("click", () => {
      const next = isLost ? "connected" : "disconnected";
      void post("connections", { provider, instance, state: next });
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
      isLost && connection.hasCodes ? buildPairing(connection) : null,
    );
  }

  return { refresh };
}
