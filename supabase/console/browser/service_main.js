/** The page of a service: what an instance's client token opens. */

import { createBatches } from "./batches.js";
import { createContact } from "./contact.js";
import { createCosts } from "./costs.js";
import { find } from "./dom.js";
import { createEvents } from "./events.js";
import { createLanguageSwitch } from "./language.js";
import { createQueue } from "./queue.js";
import { createTabs } from "./tabs.js";
import { createWebhooks } from "./webhooks.js";
import { translatePage } from "./words.js";

translatePage();
createLanguageSwitch();
createTabs();
let address = "";
const askContact = createContact(() => address === "" ? null : { waId: address });
createQueue();
createBatches();
createCosts();
createEvents();
createWebhooks();
find("queue-settings").open = true;

find("contact-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const written = find("contact-address").value.trim();
  // A phone may be written with its groups.
  address = /^[+\d\s().-]+$/.test(written) ? written.replace(/\D/g, "") : written;
  askContact();
});
