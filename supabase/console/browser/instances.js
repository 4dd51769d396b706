import { buildJsonInit, useForm } from "./client.js";
import { build, find } from "./dom.js";
import { serviceNames } from "./simulated_names.js";

/**
 * The instances of the stack. The panels follow the chosen one: the form gets its id and a token that the
 * stack makes, and is submitted.
 *
 * @typedef {{instanceId: string, businessInstanceId: string | null, name: string, provider: string,
 * channelInstance: string | null}} Instance
 * @param {(instance: Instance | null, isByHand: boolean) => void} onShown called when the panels show another
 * instance: null for one that is not of this stack
 */
export function createInstances(onShown) {
  const choice = find("instance-choice");
  /** @type {Instance[]} */
  let instances = [];
  let isByHand = true;

  async function refresh() {
    const response = await fetch("/console/instances").catch(() => null);
    if (response?.ok !== true) return;
    instances = (await response.json()).items;
    fillChoice();
  }

  /** Keeps an open list as it is where nothing has changed. */
  function fillChoice() {
    const shown = find("instance-id").value.trim();
    const named = instances.find((instance) => isNamed(instance, shown));
    const wanted = instances.map(({ instanceId, name, provider }) => [
      instanceId,
      `${name} · ${serviceNames[provider] ?? provider}`,
    ]);
    // Another stack's, or one whose id is mistyped.
    if (named === undefined && shown !== "") wanted.push([shown, shown]);
    const drawn = Array.from(choice.options, ({ value, text }) => [value, text]);
    if (JSON.stringify(drawn) !== JSON.stringify(wanted)) {
      choice.replaceChildren(...wanted.map(([value, words]) => build("option", { value }, words)));
    }
    choice.value = named?.instanceId ?? shown;
    return named ?? null;
  }

  /** @param {string} instanceId of this stack */
  async function show(instanceId, byHand) {
    const path = `/console/instances/${encodeURIComponent(instanceId)}/tokens`;
    const response = await fetch(path, buildJsonInit("POST", {})).catch(() => null);
    if (response?.ok !== true) return fillChoice();
    const { clientToken } = await response.json();
    find("instance-id").value = instanceId;
    find("client-token").value = clientToken;
    isByHand = byHand;
    find("queue-form").requestSubmit();
    isByHand = true;
  }

  choice.addEventListener("change", () => show(choice.value, true));
  // One may have been made meanwhile.
  choice.addEventListener("focus", refresh);
  find("queue-form").addEventListener("submit", () => onShown(fillChoice(), isByHand));

  return {
    refresh,
    /** Shows an instance at first, as nobody has chosen one. */
    begin({ instanceId, clientToken }) {
      find("instance-id").value = instanceId;
      find("client-token").value = clientToken;
      useForm();
      onShown(fillChoice(), false);
    },
    /**
     * Shows the instance of a phone's last message.
     *
     * @param {{provider: string, instance: string}} entry
     */
    async follow(entry, byHand) {
      if (!instances.some((instance) => isOf(instance, entry))) await refresh();
      const instance = instances.find((one) => isOf(one, entry));
      if (instance === undefined || instance.instanceId === choice.value) return;
      await show(instance.instanceId, byHand);
    },
  };
}

/** Whether the form's id is one of the instance's ids. */
function isNamed({ instanceId, businessInstanceId, channelInstance }, id) {
  return [instanceId, businessInstanceId, channelInstance].includes(id);
}

/**
 * Whether a record of the simulator is of the instance.
 *
 * @param {{provider: string, channelInstance: string | null}} instance
 * @param {{provider: string, instance: string}} entry
 */
export function isOf(instance, entry) {
  return instance.provider === entry.provider && instance.channelInstance === entry.instance;
}
