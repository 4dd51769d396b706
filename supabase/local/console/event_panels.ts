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
