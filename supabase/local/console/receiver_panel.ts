/** The panel of the webhook receiver that the local stack simulates. The scripts fill in the data. */

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
