/**
 * The words of the API's own names, by name. A test requires one for each name that the service has. What
 * has no words is shown as it is.
 */

import { say } from "./words.js";

/** States of messages, conversations and deliveries. */
export const statusNames = {
  received: say("received"),
  queued: say("queued"),
  sending: say("being sent"),
  sent: say("sent"),
  delivered: say("delivered"),
  read: say("read"),
  failed: say("failed"),
  unconfirmed: say("unconfirmed"),
  canceled: say("canceled"),
  expired: say("expired"),
  pending: say("waits"),
  open: say("open"),
  closed: say("closed"),
  finished: say("finished"),
};

/** Why a message waits (`heldBy`). */
export const holdNames = {
  interval: say("the interval"),
  window: say("the send window"),
  holiday: say("a holiday"),
  delay: say("its delay"),
  operator_hold: say("an operator"),
  daily_limit: say("the limit of the day"),
  warm_up: say("the warm-up"),
  new_contacts: say("the new contacts of the day"),
  disconnected: say("the lost connection"),
  wrong_phone: say("the right phone: another one is connected"),
  instance_held: say("the provider, which refuses the number"),
  budget: say("the budget of the month"),
  batch_paused: say("the paused batch"),
  awaiting_reply: say("the invitation, until the person writes"),
};

export const batchStatusNames = {
  draft: say("draft"),
  running: say("running"),
  paused: say("paused"),
  finished: say("finished"),
  canceled: say("canceled"),
};

/** Why a batch has paused by itself. */
export const pauseReasonNames = {
  template_refused: say("paused by itself: the channel refuses the template"),
  account_restricted: say("paused by itself: the number's account is restricted"),
  failures_in_row: say("paused by itself: five equal failures in a row"),
};

/** What became of a batch's recipients; what still waits is the rest. */
export const countNames = {
  sent: (count) => say("{count} sent", { count }),
  delivered: (count) => say("{count} delivered", { count }),
  read: (count) => say("{count} read", { count }),
  failed: (count) => say("{count} failed", { count }),
  unconfirmed: (count) => say("{count} unconfirmed", { count }),
  canceled: (count) => say("{count} canceled", { count }),
  expired: (count) => say("{count} expired", { count }),
  skipped: (count) => say("{count} skipped", { count }),
  awaitingReply: (count) => say("{count} waiting for a reply", { count }),
};

/** What a contact has said about marketing. */
export const consentNames = {
  granted: say("wants marketing"),
  denied: say("denied marketing"),
  unknown: say("has said nothing about marketing"),
};

/** By what a contact is known. */
export const identityNames = {
  phone: say("phone"),
  lid: say("hidden number (LID)"),
  user_id: say("user id"),
  parent_user_id: say("parent user id"),
  username: say("username"),
};

/** Kinds of files, by the type of their message; `icon` stands where a file's name has no ending. */
export const fileKinds = {
  image: { name: say("Image"), icon: "IMG", element: "img", hasWords: true },
  audio: { name: say("Audio"), icon: "AUD", element: "audio", hasWords: false },
  video: { name: say("Video"), icon: "VID", element: "video", hasWords: true },
  document: { name: say("Document"), icon: "DOC", element: null, hasWords: true },
  sticker: { name: say("Sticker"), icon: "IMG", element: "img", hasWords: false },
  voice: { name: say("Voice message"), icon: "AUD", element: "audio", hasWords: false },
};
