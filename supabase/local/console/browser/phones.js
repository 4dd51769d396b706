import { build, find, oncePerFrame } from "./dom.js";
import { formatPhone, formatTime, serviceNames } from "./format.js";
import { buildBubble, summarize } from "./message_bubble.js";

const shownPhones = 100;
const shownBubbles = 300;

/**
 * The customers' phones: the list of them, and the messages on the chosen one. A phone is what the
 * provider addresses (`waId`), so both forms of one number are one phone.
 */
export function createPhones() {
  /** @type {Map<string, {waId: string, messages: object[], unreadCount: number, button: HTMLElement}>} */
  const phones = new Map();
  let chosen = "";
  let isPinned = false;
  let drawnPhone = "";
  let drawnSeq = 0;

  const draw = oncePerFrame(() => {
    drawList();
    drawChat();
  });

  function add(message) {
    const phone = phones.get(message.waId) ?? open(message.waId);
    // Last in the map is the phone that got a message last.
    phones.delete(message.waId);
    phones.set(message.waId, phone);
    phone.messages.push(message);
    if (phone.messages.length > shownBubbles) phone.messages.shift();
    if (!isPinned) chosen = message.waId;
    if (message.waId !== chosen || document.hidden) phone.unreadCount += 1;
    draw();
  }

  function open(waId) {
    const button = build("button", { type: "button", class: "phone-button" });
    button.addEventListener("click", () => choose(waId));
    const phone = { waId, messages: [], unreadCount: 0, button };
    phones.set(waId, phone);
    return phone;
  }

  /** From the first choice on, a message to another phone no longer takes the view away. */
  function choose(waId) {
    chosen = waId;
    isPinned = true;
    const phone = phones.get(waId);
    if (phone !== undefined) phone.unreadCount = 0;
    draw();
  }

  function clear() {
    phones.clear();
    draw();
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
    // Moving an element takes the focus from it: give it back.
    if (focused instanceof HTMLElement && list.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
    find("phones-count").textContent = String(phones.size);
    const note = find("phones-note");
    note.hidden = fitting.length <= shownPhones && (fitting.length > 0 || phones.size === 0);
    note.textContent = fitting.length === 0
      ? "No such phone."
      : `${fitting.length - shownPhones} more: type a number to find one.`;
  }

  function drawChat() {
    const phone = phones.get(chosen);
    const bubbles = find("bubbles");
    find("empty").hidden = phones.size > 0;
    if (phone === undefined) {
      drawnPhone = "";
      bubbles.replaceChildren();
      fillHead(undefined);
      return;
    }
    const isOtherPhone = drawnPhone !== chosen;
    if (isOtherPhone) {
      bubbles.replaceChildren();
      drawnSeq = 0;
    }
    drawnPhone = chosen;
    const fresh = phone.messages.filter((message) => message.seq > drawnSeq);
    bubbles.append(...fresh.map(buildBubble));
    while (bubbles.childElementCount > shownBubbles) bubbles.firstElementChild?.remove();
    drawnSeq = phone.messages.at(-1)?.seq ?? 0;
    fillHead(phone);
    if (isOtherPhone) scrollToEnd();
  }

  keepAtEnd();
  find("find").addEventListener("input", draw);
  document.addEventListener("visibilitychange", () => {
    const phone = phones.get(chosen);
    if (!document.hidden && phone !== undefined) phone.unreadCount = 0;
    draw();
  });
  draw();
  return { add, clear };
}

function scrollToEnd() {
  const chat = find("chat");
  chat.scrollTop = chat.scrollHeight;
}

/** Whoever reads the latest message stays there when more comes or a picture grows in. */
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
  const { waId, messages, unreadCount, button } = phone;
  const last = messages.at(-1);
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
        build("span", { class: "phone-last", dir: "auto" }, summarize(last)),
        build("time", { datetime: last.receivedAt }, formatTime(last.receivedAt)),
      ),
    ),
  );
}

function buildUnread(count) {
  const words = build("span", { class: "visually-hidden" }, " new");
  return build("span", { class: "unread" }, String(count), words);
}

function fillHead(phone) {
  const last = phone?.messages.at(-1);
  find("phone-avatar").textContent = phone?.waId.slice(-2) ?? "";
  find("phone-title").textContent = phone === undefined ? "No phone yet" : formatPhone(phone.waId);
  find("phone-via").textContent = last === undefined
    ? "Phones appear with their first message"
    : `${serviceNames[last.provider]} · instance ${last.instance}`;
}
