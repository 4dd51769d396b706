import {
  batchesPanel,
  costsPanel,
  describeContactPanel,
  eventsPanel,
  icon,
  languageSwitch,
  logo,
  queuePanel,
  webhooksPanel,
} from "../../console/panels.ts";
import { describePartPanel } from "./part_forms.ts";
import { templatesPanel } from "./templates_panel.ts";
import { receiverPanel } from "./receiver_panel.ts";
import { type ReplyFileType, replyFileTypes } from "../simulator/records.ts";
import { channels } from "../simulator/channels.ts";

const channelOptions = channels
  .map(({ kind, name, isOfficial }) => {
    const traits = isOfficial ? "data-channel data-official" : "data-channel";
    return `            <option value="${kind}" ${traits}>${name}</option>`;
  })
  .join("\n");

/** What a person sends from the phone. */
const fileLabels: Readonly<Record<ReplyFileType, string>> = {
  image: "Image",
  audio: "Audio",
  video: "Video",
  document: "Document",
  sticker: "Sticker",
  voice: "Voice message",
};
const fileOptions = replyFileTypes
  .map((type) => `              <option value="${type}">${fileLabels[type]}</option>`)
  .join("\n");

/** The page's skeleton: landmarks, headings and forms. The scripts fill in the data. */
export const consolePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Local console · Messaging Integration API</title>
${icon}
<link rel="stylesheet" href="/console/console.css">
<script type="module" src="/console/main.js"></script>
</head>
<body>
<a class="skip" href="#phone">Skip to the messages</a>

<header class="top">
${logo}
  <div class="top-title">
    <h1>Local console</h1>
    <p>What your simulated customers receive and answer</p>
  </div>
  <label class="field top-choice instance">
    <span>Instance</span>
    <select id="instance-choice"></select>
  </label>
${languageSwitch}
  <p class="live" id="live" role="status" data-state="connecting">Connecting…</p>
</header>
<p class="visually-hidden" id="announcer" role="status"></p>

<div class="layout">
  <nav class="phones" aria-labelledby="phones-title">
    <div class="panel-head">
      <h2 id="phones-title">Phones <span class="count" id="phones-count">0</span></h2>
      <button type="button" class="quiet" id="clear-messages" aria-label="Clear the messages">Clear</button>
    </div>
    <label class="field find">
      <span class="visually-hidden">Find a phone</span>
      <input type="search" id="find" placeholder="Find a phone" autocomplete="off" inputmode="tel">
    </label>
    <ul class="phone-list" id="phone-list"></ul>
    <p class="note" id="phones-note" hidden></p>
  </nav>

  <main class="phone" id="phone" tabindex="-1" aria-labelledby="phone-title">
    <div class="phone-head">
      <span class="avatar" id="phone-avatar" aria-hidden="true"></span>
      <div>
        <h2 id="phone-title">No phone chosen</h2>
        <p id="phone-via"></p>
        <p id="phone-state"></p>
      </div>
      <button type="button" class="quiet" id="mark-read" hidden>Mark as read</button>
    </div>
    <div class="chat" id="chat" tabindex="0" role="region" aria-label="Messages on this phone">
      <ol class="bubbles" id="bubbles"></ol>
      <section class="empty" id="empty">
        <h3>Nothing has arrived yet</h3>
        <p>Send a message through the API, and it appears here as the customer sees it. For example:</p>
        <pre tabindex="0" aria-label="Example call"><code id="example"></code></pre>
        <button type="button" class="primary" id="copy-example">Copy the command</button>
      </section>
    </div>
    <form class="composer" id="reply-form" autocomplete="off" aria-label="Answer from this phone" hidden>
      <div class="composer-line">
        <label class="field"><span class="visually-hidden">Answer</span>
          <input id="reply-text" name="text" maxlength="4096" placeholder="Answer as the customer">
        </label>
        <button type="submit" class="primary">Send</button>
      </div>
      <details>
        <summary>Who writes, and attachments</summary>
        <div class="composer-more">
          <label class="field">Written by
            <select id="reply-as" name="writtenBy">
              <option value="customer">The customer</option>
              <option value="company">A person on the company's phone</option>
            </select>
          </label>
          <label class="field">Kind
            <select id="reply-kind" name="messageType">
              <option value="text">Text</option>
${fileOptions}
            </select>
          </label>
          <label class="field wide">File from the phone
            <input id="reply-file" name="file" type="file">
          </label>
          <label class="field wide">Address of the attachment
            <input id="reply-media" name="mediaUrl" type="url" pattern="https?://.*" placeholder="https://…">
          </label>
          <label class="field">User id (official channel)
            <input id="reply-user-id" name="userId" placeholder="BR.9XJQRIBA77" spellcheck="false">
          </label>
          <label class="field check">
            <input id="reply-embedded" name="isEmbedded" type="checkbox">
            The event holds the file (Evolution)
          </label>
          <label class="field check">
            <input id="reply-once" name="isViewOnce" type="checkbox">
            View once
          </label>
          <label class="field check">
            <input id="reply-gif" name="isGif" type="checkbox">
            GIF
          </label>
        </div>
      </details>
      <p class="note" id="reply-note" role="status"></p>
    </form>
${describePartPanel()}
  </main>

  <aside class="side" aria-label="Panels">
    <p class="problem" id="access-problem" role="alert" hidden></p>
    <div class="tabs" role="tablist" aria-label="Panels">
      <button type="button" role="tab" id="tab-queue" aria-controls="panel-queue" aria-selected="true">Queue</button>
      <button type="button" role="tab" id="tab-batches" aria-controls="panel-batches" aria-selected="false" tabindex="-1">Batches</button>
      <button type="button" role="tab" id="tab-costs" aria-controls="panel-costs" aria-selected="false" tabindex="-1">Costs</button>
      <button type="button" role="tab" id="tab-events" aria-controls="panel-events" aria-selected="false" tabindex="-1">Events</button>
      <button type="button" role="tab" id="tab-webhooks" aria-controls="panel-webhooks" aria-selected="false" tabindex="-1">Webhooks</button>
      <button type="button" role="tab" id="tab-people" aria-controls="panel-people" aria-selected="false" tabindex="-1">People</button>
      <button type="button" role="tab" id="tab-outside" aria-controls="panel-outside" aria-selected="false" tabindex="-1">Outside world</button>
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-queue" aria-labelledby="tab-queue">
${queuePanel}

    <section class="panel" aria-labelledby="keys-title">
      <div class="panel-head">
        <h2 id="keys-title">Keys</h2>
      </div>
      <p class="note">The header <code>X-Client-Token</code> with a client token opens one instance at the functions: send-message, messages-api and the others. The demo's is filled in above, under “Instance and token”.</p>
      <p class="note">The header <code>apikey</code> with the secret key opens admin-api, dispatch-queue and metrics for the whole project. <span id="secret-key-place"></span></p>
    </section>
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-batches" aria-labelledby="tab-batches" hidden>
${batchesPanel}
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-costs" aria-labelledby="tab-costs" hidden>
${costsPanel}
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-events" aria-labelledby="tab-events" hidden>
${eventsPanel}
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-webhooks" aria-labelledby="tab-webhooks" hidden>
${webhooksPanel}

${receiverPanel}
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-people" aria-labelledby="tab-people" hidden>
${describeContactPanel()}
    </div>

    <div class="tab-panel" role="tabpanel" id="panel-outside" aria-labelledby="tab-outside" hidden>
    <section class="panel" aria-labelledby="emails-title">
      <div class="panel-head">
        <h2 id="emails-title">E-mails <span class="count" id="emails-count">0</span></h2>
        <button type="button" class="quiet" id="clear-emails" aria-label="Clear the e-mails">Clear</button>
      </div>
      <p class="note" id="emails-note">No e-mail yet. An operator gets one with each assignment.</p>
      <ol class="rows" id="emails"></ol>
    </section>

    <section class="panel" aria-labelledby="ai-title">
      <div class="panel-head">
        <h2 id="ai-title">AI calls <span class="count" id="ai-count">0</span></h2>
        <button type="button" class="quiet" id="clear-ai" aria-label="Clear the AI calls">Clear</button>
      </div>
      <p class="note" id="ai-note">No call yet. The agent asks the model when a customer replies.</p>
      <ol class="rows" id="ai-calls"></ol>
    </section>

    <section class="panel" aria-labelledby="connections-title">
      <div class="panel-head">
        <h2 id="connections-title">Connections <span class="count" id="connections-count">0</span></h2>
      </div>
      <p class="note">Take a gateway's connection away: its queue waits, and goes on when it is back.</p>
      <ul class="rows" id="connections"></ul>
    </section>

    <section class="panel" id="accounts" aria-labelledby="accounts-title" hidden>
      <div class="panel-head">
        <h2 id="accounts-title">Official account</h2>
      </div>
      <p class="note">Let Meta decide about an account or a number, or change a customer's user id.</p>
      <form id="account-form" class="form" autocomplete="off">
        <div class="pair">
          <label class="field">Number
            <select name="instance"></select>
          </label>
          <label class="field">Decision
            <select name="event">
              <option value="ACCOUNT_VIOLATION">Violation</option>
              <option value="ACCOUNT_RESTRICTION">Restriction</option>
              <option value="SCHEDULE_FOR_DISABLE">Planned ban</option>
              <option value="ACCOUNT_OFFBOARDED">Number left</option>
              <option value="ACCOUNT_RECONNECTED">Number is back</option>
              <option value="UPGRADE">Higher limit</option>
              <option value="DOWNGRADE">Lower limit</option>
            </select>
          </label>
        </div>
        <label class="field">Reason, date of the ban, or limit
          <input name="detail" placeholder="SCAM, 2027-01-31, TIER_2K">
        </label>
        <button type="submit">Tell the decision</button>
      </form>
      <form id="number-form" class="form" autocomplete="off">
        <div class="pair">
          <label class="field">Number
            <select name="instance"></select>
          </label>
          <label class="field">Messages a second
            <select name="level">
              <option value="STANDARD">80, as every number</option>
              <option value="HIGH">1,000, the higher level</option>
              <option value="COEXISTENCE">20, also in the WhatsApp app</option>
            </select>
          </label>
        </div>
        <button type="submit">Set the level</button>
      </form>
      <form id="user-id-form" class="form" autocomplete="off">
        <label class="field">Number
          <select name="instance"></select>
        </label>
        <div class="pair">
          <label class="field">Former user id
            <input name="previousUserId" required spellcheck="false">
          </label>
          <label class="field">New user id
            <input name="userId" required spellcheck="false">
          </label>
        </div>
        <button type="submit">Change the user id</button>
      </form>
      <p class="note" id="account-note" role="status"></p>
    </section>

${templatesPanel}

    <section class="panel" aria-labelledby="faults-title">
      <div class="panel-head">
        <h2 id="faults-title">Faults <span class="count" id="faults-count">0</span></h2>
        <button type="button" class="quiet" id="clear-faults" aria-label="Clear the faults">Clear</button>
      </div>
      <p class="note">Let a provider fail on purpose, and watch what the service makes of it.</p>
      <ul class="rows" id="faults"></ul>
      <form id="fault-form" class="form">
        <label class="field">Provider
          <select name="provider">
${channelOptions}
            <option value="resend">Resend (e-mail)</option>
            <option value="chat_completions">AI model</option>
          </select>
        </label>
        <label class="field">What happens
          <select name="kind">
            <option value="reject">Refuses for good</option>
            <option value="rate_limit">Refuses: too many requests</option>
            <option value="server_error">Answers with a server error</option>
            <option value="timeout">Takes it, never answers</option>
            <option value="reset">Takes it, connection breaks</option>
            <option value="garbage">Takes it, answers nonsense</option>
            <option value="held">Holds it for a quality assessment</option>
          </select>
        </label>
        <div class="pair">
          <label class="field">Next sends
            <input name="times" type="number" min="1" max="100000" value="1" required>
          </label>
          <label class="field">Retry after (s)
            <input name="retryAfterSeconds" type="number" min="0" max="86400" placeholder="none">
          </label>
        </div>
        <div class="pair">
          <label class="field">Only to
            <input name="to" placeholder="everyone" autocomplete="off">
          </label>
          <label class="field">Provider code
            <input name="code" placeholder="usual" autocomplete="off">
          </label>
        </div>
        <button type="submit" class="primary">Plan this fault</button>
        <p class="note" id="fault-note" role="status"></p>
      </form>
    </section>
    </div>
  </aside>
</div>
<noscript><p class="note">This page needs JavaScript to show what arrives.</p></noscript>
</body>
</html>
`;
