/** Names of what the local stack simulates. */

import { say } from "./words.js";

/** Names from the page's list of simulated providers. */
const channelOptions = document.querySelectorAll("option[data-channel]");

export const serviceNames = {
  ...Object.fromEntries(Array.from(channelOptions, ({ value, text }) => [value, text])),
  resend: "Resend",
  chat_completions: say("AI model"),
};

export const faultNames = {
  reject: say("refuses for good"),
  rate_limit: say("too many requests"),
  server_error: say("server error"),
  timeout: say("never answers"),
  reset: say("connection breaks"),
  garbage: say("answers nonsense"),
  held: say("quality assessment"),
};
