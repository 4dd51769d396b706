/** The panels that the local console and that of a service share. The scripts fill in the data. */

/** The tab's picture. */
export const icon =
  `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath fill='%230b7a5c' d='M4 7a4 4 0 0 1 4-4h16a4 4 0 0 1 4 4v11a4 4 0 0 1-4 4H14l-7 7v-7a3 3 0 0 1-3-3z'/%3E%3C/svg%3E">`;

/** The same beside the title. */
export const logo =
  `  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><path d="M4 7a4 4 0 0 1 4-4h16a4 4 0 0 1 4 4v11a4 4 0 0 1-4 4H14l-7 7v-7a3 3 0 0 1-3-3z"/></svg>`;

/** Names of languages are never translated: a label is no text of the page. */
export const languageSwitch = `  <label class="field top-choice">
    <span class="visually-hidden">Language</span>
    <select id="language">
      <option value="en" label="English" lang="en"></option>
      <option value="pt" label="Português" lang="pt"></option>
    </select>
  </label>`;

export const queuePanel = `    <section class="panel fills" aria-labelledby="queue-title">
      <div class="panel-head">
        <h2 id="queue-title">Queue <span class="count" id="queue-count">–</span></h2>
      </div>
      <details class="settings" id="queue-settings">
        <summary>Instance and token</summary>
        <form id="queue-form" class="form" autocomplete="off">
          <label class="field">Instance id
            <input id="instance-id" name="instanceId" spellcheck="false" autocapitalize="off">
          </label>
          <label class="field">Client token
            <input id="client-token" name="clientToken" type="password" spellcheck="false" autocomplete="off">
          </label>
          <button type="submit">Show this queue</button>
        </form>
      </details>
      <p class="note" id="queue-note" role="status">Fill in an instance and its token.</p>
      <p class="note" id="queue-health" role="status"></p>
      <div class="timeline" id="timeline" hidden>
        <label class="field">Slots of the day
          <select id="timeline-day"></select>
        </label>
        <div id="timeline-plot"></div>
        <p class="note" id="timeline-note"></p>
        <ul class="legend" id="timeline-legend" aria-label="Colors"></ul>
      </div>
      <ol class="rows" id="queue-rows"></ol>
    </section>`;

export const batchesPanel = `    <section class="panel fills" aria-labelledby="batches-title">
      <div class="panel-head">
        <h2 id="batches-title">Batches <span class="count" id="batches-count">–</span></h2>
      </div>
      <p class="note" id="batches-note" role="status">No batch yet. Each one stays here, with what has become of it.</p>
      <ul class="rows" id="batches"></ul>
    </section>`;

export const costsPanel = `    <section class="panel" aria-labelledby="costs-title">
      <div class="panel-head">
        <h2 id="costs-title">Costs <span class="count" id="costs-count">–</span></h2>
      </div>
      <p class="note" id="costs-note" role="status">What a month has cost, by your rates.</p>
      <div class="timeline" id="costs" hidden>
        <label class="field">Month
          <select id="costs-month"></select>
        </label>
        <div id="costs-plot"></div>
        <p class="note" id="costs-budget" role="status"></p>
        <ul class="legend" id="costs-legend" aria-label="Categories"></ul>
        <details>
          <summary>The days as a table</summary>
          <table class="days" id="costs-days" aria-labelledby="costs-title"></table>
        </details>
      </div>
    </section>`;

/** @param question what asks for the phone, where no list of phones stands beside. */
export function describeContactPanel(question = ""): string {
  return `    <section class="panel" aria-labelledby="contact-title">
      <div class="panel-head">
        <h2 id="contact-title">Contact</h2>
      </div>
${question}      <p class="note" id="contact-note" role="status">Choose a phone to see who it is.</p>
      <ul class="rows" id="contact-rows"></ul>
    </section>`;
}

export const eventsPanel = `    <section class="panel fills" aria-labelledby="events-title">
      <div class="panel-head">
        <h2 id="events-title">Events <span class="count" id="events-count">0</span></h2>
        <button type="button" class="quiet" id="clear-events" aria-label="Clear the events">Clear</button>
      </div>
      <p class="note" id="events-problem" role="status"></p>
      <p class="note" id="events-note">No event yet. Each one appears here when it becomes true.</p>
      <ol class="rows" id="events"></ol>
    </section>`;

export const webhooksPanel = `    <section class="panel" aria-labelledby="webhooks-title">
      <div class="panel-head">
        <h2 id="webhooks-title">Webhooks <span class="count" id="webhooks-count">–</span></h2>
      </div>
      <p class="note" id="webhooks-note" role="status"></p>
      <div class="form" id="endpoint-form" hidden>
        <label class="field">Endpoint
          <select id="endpoint-choice"></select>
        </label>
        <p class="note" id="endpoint-state" role="status"></p>
        <div class="pair">
          <button type="button" id="endpoint-test">Send a test event</button>
          <button type="button" id="endpoint-activate" hidden>Activate again</button>
        </div>
      </div>
      <ol class="rows" id="deliveries" aria-label="Deliveries"></ol>
    </section>`;
