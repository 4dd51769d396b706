/** The panels that show an instance's events and where they go. The scripts fill in the data. */

export const eventsPanel = `    <section class="panel" aria-labelledby="events-title">
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

export const receiverPanel = `    <section class="panel" aria-labelledby="receiver-title">
      <div class="panel-head">
        <h2 id="receiver-title">Webhook receiver <span class="count" id="receiver-count">0</span></h2>
        <button type="button" class="quiet" id="clear-receiver" aria-label="Clear the receiver">Clear</button>
      </div>
      <p class="note" id="receiver-note">No call yet. Point an endpoint here, then send a message.</p>
      <div class="form">
        <button type="button" class="primary" id="point-endpoint">Point an endpoint here</button>
        <label class="field">It answers
          <select id="receiver-answer">
            <option value="204">204, if the signature is right</option>
            <option value="500">500, so that it is tried again</option>
            <option value="410">410, which disables the endpoint</option>
          </select>
        </label>
        <p class="note" id="receiver-problem" role="status"></p>
      </div>
      <ol class="rows" id="receiver-calls" aria-label="Received calls"></ol>
    </section>`;
