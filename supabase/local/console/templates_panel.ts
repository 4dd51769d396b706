/** The panel in which a person reviews templates as Meta would. */
export const templatesPanel =
  `    <section class="panel" id="templates" aria-labelledby="templates-title" hidden>
      <div class="panel-head">
        <h2 id="templates-title">Templates <span class="count" id="templates-count">0</span></h2>
      </div>
      <p class="note">Review a template as Meta does: the service is told by its webhook.</p>
      <form id="template-form" class="form" autocomplete="off">
        <label class="field">Template
          <select name="templateId"></select>
        </label>
        <div class="pair">
          <label class="field">Outcome
            <select name="decision">
              <option value="APPROVED">Approve</option>
              <option value="REJECTED">Reject</option>
              <option value="PAUSED">Pause</option>
              <option value="tomorrow">Another category tomorrow</option>
              <option value="now">Another category now</option>
              <option value="GREEN">High quality</option>
              <option value="YELLOW">Medium quality</option>
              <option value="RED">Low quality</option>
            </select>
          </label>
          <label class="field">Category
            <select name="category">
              <option value="MARKETING">Marketing</option>
              <option value="UTILITY">Utility</option>
            </select>
          </label>
        </div>
        <label class="field">Why it is rejected
          <input name="reason" placeholder="PROMOTIONAL" pattern="[A-Z_]{1,50}" spellcheck="false">
        </label>
        <button type="submit">Decide</button>
      </form>
      <p class="note" id="template-note" role="status"></p>
      <ul class="rows" id="template-rows"></ul>
    </section>`;
