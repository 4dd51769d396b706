import { statusNames } from "./api_words.js";
import { build, find, oncePerFrame } from "./dom.js";
import { formatPhone, formatTime } from "./format.js";
import { isOf } from "./instances.js";
import { buildBubble, summarize } from "./message_bubble.js";
import { buildReplyBubble, showChange, summarizeReply } from "./reply_bubble.js";
import { describePrice } from "./prices.js";
import { serviceNames } from "./simulated_names.js";
import { say } from "./words.js";

const shownPhones = 100;
const shownBubbles = 300;

/**
 * The customers' phones: their list, and the conversation on the chosen one. A phone is identified
 * by the provider's address (`waId`), so both forms of one number are one phone.
 *
 * Until a phone is chosen by hand, the newest of the panels' instance is shown; where that has none, the
 * newest of all, and the panels follow it.
 *
 * @param {(entry: object, isByHand: boolean) => void} onChosen called with the last message of the phone that
 * was chosen by hand, or because the panels' instance has none
 */
export function createPhones(onChosen) {
  /** @type {Map<string, {waId: string, entries: object[], unreadCount: number, button: HTMLElement}>} */
  const phones = new Map();
  /** @type {Map<string, string>} the most advanced status by provider message id */
  const statuses = new Map();
  /** @type {Map<string, object>} the last change by provider message id */
  const changes = new Map();
  /** @type {Map<string, Map<string, string | null>>} who has reacted how, by provider message id */
  const reactions = new Map();
  /** @type {Map<string, boolean>} whether typing was shown, by the id of a message marked as read */
  const receipts = new Map();
  /** @type {Map<string, object>} the last typing that a call of its own showed, by phone */
  const typings = new Map();
  /** @type {Map<string, boolean>} whether the company has blocked a phone */
  const blocks = new Map();
  /**
   * What a message costs, in words, by provider message id. The product's events tell it, maybe before
   * the simulator's records are loaded or loaded anew, so that those never clear it.
   *
   * @type {Map<string, string>}
   */
  const prices = new Map();
  let chosen = "";
  let isPinned = false;
  /** The instance that the panels show; null while it is not known. */
  let shownInstance = null;
  let isInstanceChosen = false;
  let drawnPhone = "";
  let drawnSeq = 0;

  const draw = oncePerFrame(() => {
    settleChosen();
    drawList();
    drawChat();
  });

  /** @param {object} entry a message that arrived, or a reply (which has `writtenBy`) */
  function add(entry) {
    // A reaction is shown at the message that it is to.
    if (entry.parts?.reaction !== undefined) return addReaction(entry);
    const phone = phones.get(entry.waId) ?? open(entry.waId);
    // The last phone in the map is the one with the latest activity.
    phones.delete(entry.waId);
    phones.set(entry.waId, phone);
    phone.entries.push(entry);
    // Sorts the entries, because messages and replies are loaded one kind after the other.
    phone.entries.sort((a, b) => a.seq - b.seq);
    if (phone.entries.length > shownBubbles) phone.entries.shift();
    const isUnread = !isReply(entry) && (entry.waId !== chosen || document.hidden);
    if (isUnread) phone.unreadCount += 1;
    draw();
  }

  function addStatus({ providerMessageId, status }) {
    if (statuses.get(providerMessageId) === "read") return;
    statuses.set(providerMessageId, status);
    draw();
  }

  function addReaction({ writtenBy = "company", parts: { reaction } }) {
    const given = reactions.get(reaction.providerMessageId) ?? new Map();
    reactions.set(reaction.providerMessageId, given.set(writtenBy, reaction.emoji));
    draw();
  }

  function addChange(change) {
    changes.set(change.providerMessageId, change);
    draw();
  }

  function addReceipt({ providerMessageId, typingShown }) {
    receipts.set(providerMessageId, typingShown || receipts.get(providerMessageId) === true);
    draw();
  }

  function open(waId) {
    const button = build("button", { type: "button", class: "phone-button" });
    button.addEventListener("click", () => choose(waId));
    const phone = { waId, entries: [], unreadCount: 0, button };
    phones.set(waId, phone);
    return phone;
  }

  /** Pins the chosen phone: messages to other phones no longer switch the view. */
  function choose(waId) {
    chosen = waId;
    isPinned = true;
    const phone = phones.get(waId);
    if (phone !== undefined) phone.unreadCount = 0;
    draw();
    onChosen(phone?.entries.at(-1), true);
  }

  /** The phone that is shown while none is pinned. */
  function settleChosen() {
    if (isPinned && phones.has(chosen)) return;
    const newestFirst = [...phones.values()].reverse();
    const ofInstance = newestFirst.find(isOfShown);
    const phone = ofInstance ?? (isInstanceChosen ? undefined : newestFirst[0]);
    chosen = phone?.waId ?? "";
    if (phone === undefined) return;
    if (!document.hidden) phone.unreadCount = 0;
    if (ofInstance === undefined) onChosen(phone.entries.at(-1), false);
  }

  function isOfShown({ entries }) {
    return shownInstance === null || isOf(shownInstance, entries.at(-1));
  }

  /** The panels show an instance: so does the chat. */
  function showInstance(instance, isByHand) {
    shownInstance = instance;
    isInstanceChosen ||= isByHand;
    const phone = phones.get(chosen);
    if (phone !== undefined && !isOfShown(phone) && isByHand) isPinned = false;
    draw();
  }

  function clear() {
    phones.clear();
    statuses.clear();
    for (const known of [changes, reactions, receipts, typings, blocks]) known.clear();
    drawnPhone = "";
    draw();
  }

  /**
   * The target of a reply from the chosen phone: the provider and instance of its latest message.
   */
  function readChosen() {
    const last = phones.get(chosen)?.entries.at(-1);
    if (last === undefined) return null;
    return { provider: last.provider, instance: last.instance, waId: chosen };
  }

  function drawList() {
    const sought = find("find").value.replace(/\D/g, "");
    const newestFirst = [...phones.values()].reverse();
    const fitting = newestFirst.filter((phone) => phone.waId.includes(sought));
    const shown = fitting.slice(0, shownPhones);
    const focused = document.activeElement;
    for (const phone of shown) fillButton(phone, phone.waId === chosen);
    const list = find("phone-list");
    list.replaceChildren(...shown.map((phone) => build("li", {}, phone.button)));
    // Restores the focus, which an element loses when it is moved.
    if (focused instanceof HTMLElement && list.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
    find("phones-count").textContent = String(phones.size);
    const note = find("phones-note");
    note.hidden = fitting.length <= shownPhones && (fitting.length > 0 || phones.size === 0);
    note.textContent = fitting.length === 0
      ? say("No such phone.")
      : say("{count} more: type a number to find one.", { count: fitting.length - shownPhones });
  }

  function drawChat() {
    const phone = phones.get(chosen);
    const bubbles = find("bubbles");
    find("empty").hidden = phone !== undefined;
    if (phone === undefined) {
      drawnPhone = "";
      bubbles.replaceChildren();
      fillHead(undefined);
      fillState(undefined, false);
      return;
    }
    const isOtherPhone = drawnPhone !== chosen;
    if (isOtherPhone) {
      bubbles.replaceChildren();
      drawnSeq = 0;
    }
    drawnPhone = chosen;
    const fresh = phone.entries.filter((entry) => entry.seq > drawnSeq);
    bubbles.append(
      ...fresh.map((entry) => isReply(entry) ? buildReplyBubble(entry) : buildBubble(entry)),
    );
    while (bubbles.childElementCount > shownBubbles) bubbles.firstElementChild?.remove();
    drawnSeq = phone.entries.at(-1)?.seq ?? 0;
    drawTicks(bubbles, statuses);
    drawPrices(bubbles, prices);
    drawChanges(bubbles, changes);
    drawReactions(bubbles, reactions);
    drawReceipts(bubbles, receipts);
    fillHead(phone);
    fillState(typings.get(chosen), blocks.get(chosen) === true);
    if (isOtherPhone) scrollToEnd();
  }

  // Writing on a phone pins it, as choosing it does.
  for (const form of ["reply-form", "part-panel"]) {
    find(form).addEventListener("focusin", () => {
      isPinned = true;
    });
  }
  keepAtEnd();
  find("find").addEventListener("input", draw);
  document.addEventListener("visibilitychange", () => {
    const phone = phones.get(chosen);
    if (!document.hidden && phone !== undefined) phone.unreadCount = 0;
    draw();
  });
  draw();
  const nothing = { clear: () => {} };
  return {
    messages: { add, clear },
    replies: { ...nothing, add },
    statuses: { ...nothing, add: addStatus },
    changes: { ...nothing, add: addChange },
    "read-receipts": { ...nothing, add: addReceipt },
    typings: {
      ...nothing,
      add(typing) {
        typings.set(typing.waId, typing);
        draw();
      },
    },
    blocks: {
      ...nothing,
      add({ waId, isBlocked }) {
        blocks.set(waId, isBlocked);
        draw();
      },
    },
    /** The product's events tell what a message costs; those of gateways cost nothing. */
    addPrice({ data: { providerMessageId, ...message } }) {
      const words = describePrice(message);
      if (words === "" || typeof providerMessageId !== "string") return;
      prices.set(providerMessageId, words);
      draw();
    },
    readChosen,
    showInstance,
  };
}

function isReply(entry) {
  return entry.writtenBy !== undefined;
}

function drawTicks(bubbles, statuses) {
  for (const tick of bubbles.querySelectorAll("[data-status-of]")) {
    const status = statuses.get(tick.dataset.statusOf) ?? "";
    const words = statusNames[status] ?? status;
    if (tick.textContent === words) continue;
    tick.textContent = words;
    tick.dataset.status = status;
  }
}

function drawPrices(bubbles, prices) {
  for (const mark of bubbles.querySelectorAll("[data-price-of]")) {
    const words = prices.get(mark.dataset.priceOf) ?? "";
    if (mark.textContent !== words) mark.textContent = words;
  }
}

function drawChanges(bubbles, changes) {
  for (const bubble of bubbles.children) {
    const change = changes.get(bubble.dataset.message);
    if (change !== undefined) showChange(bubble, change);
  }
}

function drawReactions(bubbles, reactions) {
  for (const mark of bubbles.querySelectorAll("[data-reaction-to]")) {
    const given = [...(reactions.get(mark.dataset.reactionTo)?.values() ?? [])];
    const words = given.filter((emoji) => emoji !== null).join(" ");
    if (mark.textContent !== words) mark.textContent = words;
  }
}

/** Marks what the company has read, as the provider was told. */
function drawReceipts(bubbles, receipts) {
  for (const mark of bubbles.querySelectorAll("[data-receipt-of]")) {
    const typingShown = receipts.get(mark.dataset.receiptOf);
    if (typingShown === undefined) continue;
    mark.hidden = false;
    mark.textContent = typingShown ? say("read, typing shown") : say("read by the company");
  }
}

/** What the company has done to the phone, beside messages. */
function fillState(typing, isBlocked) {
  find("phone-state").textContent = [
    isBlocked ? say("Blocked by the company") : "",
    typing === undefined
      ? ""
      : say("typing was shown at {time}", { time: formatTime(typing.receivedAt) }),
  ].filter((part) => part !== "").join(" · ");
}

function scrollToEnd() {
  const chat = find("chat");
  chat.scrollTop = chat.scrollHeight;
}

/**
 * Keeps the view at the latest message when new ones arrive or a picture loads, if it was there.
 */
function keepAtEnd() {
  const chat = find("chat");
  let isAtEnd = true;
  chat.addEventListener("scroll", () => {
    isAtEnd = chat.scrollHeight - chat.scrollTop - chat.clientHeight < 80;
  });
  new ResizeObserver(() => {
    if (isAtEnd) scrollToEnd();
  }).observe(find("bubbles"));
}

function fillButton(phone, isChosen) {
  const { waId, entries, unreadCount, button } = phone;
  const last = entries.at(-1);
  if (isChosen) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  button.replaceChildren(
    build("span", { class: "avatar", "aria-hidden": "true" }, waId.slice(-2)),
    build(
      "span",
      { class: "phone-lines" },
      build(
        "span",
        { class: "phone-line" },
        build("span", { class: "phone-number" }, formatPhone(waId)),
        unreadCount === 0 ? null : buildUnread(unreadCount),
      ),
      last === undefined ? null : build(
        "span",
        { class: "phone-line" },
        build(
          "span",
          { class: "phone-last", dir: "auto" },
          isReply(last) ? summarizeReply(last) : summarize(last),
        ),
        build("time", { datetime: last.receivedAt }, formatTime(last.receivedAt)),
      ),
    ),
  );
}

function buildUnread(count) {
  const words = build("span", { class: "visually-hidden" }, ` ${say("new")}`);
  return build("span", { class: "unread" }, String(count), words);
}

function fillHead(phone) {
  const last = phone?.entries.at(-1);
  find("reply-form").hidden = phone === undefined;
  find("part-panel").hidden = phone === undefined;
  find("mark-read").hidden = phone === undefined;
  find("phone-avatar").textContent = phone?.waId.slice(-2) ?? "";
  find("phone-title").textContent = phone === undefined
    ? say("No phone yet")
    : formatPhone(phone.waId);
  find("phone-via").textContent = last === undefined
    ? say("Phones appear with their first message")
    : `${serviceNames[last.provider]} · ${say("instance {instance}", { instance: last.instance })}`;
}
