import { createAccounts } from "./accounts.js";
import { createActivity } from "./activity.js";
import { createBatches } from "./batches.js";
import { createComposer } from "./composer.js";
import { createContact } from "./contact.js";
import { copyOnClick } from "./copy_button.js";
import { createCosts } from "./costs.js";
import { find } from "./dom.js";
import { createConnections } from "./connections.js";
import { createEvents } from "./events.js";
import { createFaults } from "./faults.js";
import { createInstances } from "./instances.js";
import { createLanguageSwitch } from "./language.js";
import { formatPhone } from "./format.js";
import { followSimulator } from "./live.js";
import { summarize } from "./message_bubble.js";
import { buildAiCall, buildEmail } from "./outside_calls.js";
import { createPartForm } from "./part_form.js";
import { createPhones } from "./phones.js";
import { createQueue } from "./queue.js";
import { buildReceiverCall, createReceiver } from "./receiver.js";
import { createTemplates } from "./templates.js";
import { createTabs } from "./tabs.js";
import { createWebhooks } from "./webhooks.js";
import { say, translatePage } from "./words.js";

translatePage();
createLanguageSwitch();
createTabs();
const phones = createPhones((entry, isByHand) => {
  instances.follow(entry, isByHand);
  if (isByHand) askContact();
});
const instances = createInstances((instance, isByHand) => {
  phones.showInstance(instance, isByHand);
  showExample();
});
const views = {
  messages: phones.messages,
  replies: phones.replies,
  statuses: phones.statuses,
  changes: phones.changes,
  "read-receipts": phones["read-receipts"],
  typings: phones.typings,
  blocks: phones.blocks,
  emails: createActivity(
    { list: "emails", count: "emails-count", note: "emails-note" },
    buildEmail,
  ),
  "ai-calls": createActivity({ list: "ai-calls", count: "ai-count", note: "ai-note" }, buildAiCall),
  "receiver-calls": createActivity(
    { list: "receiver-calls", count: "receiver-count", note: "receiver-note" },
    buildReceiverCall,
  ),
};
createComposer(phones.readChosen);
createPartForm(phones.readChosen);
const askContact = createContact(phones.readChosen);
const askQueue = createQueue();
const askBatches = createBatches();
const askCosts = createCosts();
const followEvents = createEvents(phones.addPrice);
const webhooks = createWebhooks();
const receiver = createReceiver(webhooks.choose);
const faults = createFaults();
const connections = createConnections(() => askQueue());
const accounts = createAccounts();
const templates = createTemplates();

followSimulator(views, {
  onFresh(kind, record) {
    if (kind === "messages" && record.messageType !== "reaction") {
      announce(`${formatPhone(record.waId)}: ${summarize(record)}`);
    }
    if (kind === "emails") announce(say("E-mail: {subject}", { subject: record.subject }));
  },
  onFaults: () =>
    Promise.all(
      [faults, connections, accounts, templates, receiver].map((panel) => panel.refresh()),
    ),
});

for (
  const [button, path] of [
    ["clear-messages", "messages"],
    ["clear-messages", "replies"],
    ["clear-messages", "statuses"],
    ["clear-messages", "changes"],
    ["clear-messages", "read-receipts"],
    ["clear-messages", "typings"],
    ["clear-emails", "emails"],
    ["clear-ai", "ai-calls"],
    ["clear-receiver", "receiver-calls"],
    ["clear-faults", "faults"],
  ]
) {
  find(button).addEventListener("click", () => fetch(`/simulator/${path}`, { method: "DELETE" }));
}

let announceTimer = 0;
/**
 * Announces the latest arrival to screen readers, at most once a second, so that a busy queue does
 * not flood them.
 */
function announce(sentence) {
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => {
    find("announcer").textContent = sentence;
  }, 1_000);
}

copyOnClick(find("copy-example"), () => find("example").textContent);

/** Before the demo is asked for again. */
const askAgainMs = 2_000;

showExample();
const [demo] = await Promise.all([readDemo(), instances.refresh()]);
if (demo !== null && isFormEmpty()) instances.begin(demo);
showKeyLocations(demo);
askQueue();
askBatches();
askCosts();
askContact();
followEvents();
webhooks.ask();

/**
 * Asks for the demo until the stack answers: a connection that is lost once must not leave the page empty.
 *
 * @returns {Promise<object | null>} null where there is none, or somebody has filled in the form meanwhile
 */
async function readDemo() {
  for (;;) {
    const response = await fetch("/simulator/demo").catch(() => null);
    if (response?.ok) return await response.json();
    find("queue-settings").open = true;
    if (!isFormEmpty() || (response !== null && response.status < 500)) return null;
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

/** Whether nobody has typed into the form while the demo was asked for. */
function isFormEmpty() {
  return find("instance-id").value === "" && find("client-token").value === "";
}

/** Shows the path of the local key file. The secret key itself never reaches this page. */
function showKeyLocations(demo) {
  if (demo === null) return;
  find("secret-key-place").textContent = demo.secretKeyFile === null
    ? say("This stack was started with it, as SUPABASE_SECRET_KEY.")
    : say("It is secretKey in {file}.", { file: demo.secretKeyFile });
}

/** A call that sends a first message of the instance that the panels show. */
function showExample() {
  const [instanceId, token] = ["instance-id", "client-token"].map((id) => find(id).value.trim());
  const body = {
    instanceId: instanceId || say("<instance id>"),
    phone: "5511912345678",
    messageType: "text",
    message: "Olá!",
  };
  find("example").textContent = [
    `curl -X POST '${location.origin}/functions/v1/send-message'`,
    `-H 'X-Client-Token: ${token || say("<client token>")}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(" \\\n  ");
}
