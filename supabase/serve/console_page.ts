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
} from "../console/panels.ts";

const question = `      <form id="contact-form" class="form" autocomplete="off">
        <label class="field">Phone or user id
          <input id="contact-address" name="address" spellcheck="false" autocapitalize="off">
        </label>
        <button type="submit">Show who it is</button>
      </form>
`;

/** The panels that need only the product's API: nothing of it is simulated. */
const panels = [
  ["queue", "Queue", queuePanel],
  ["batches", "Batches", batchesPanel],
  ["costs", "Costs", costsPanel],
  ["events", "Events", eventsPanel],
  ["webhooks", "Webhooks", webhooksPanel],
  ["people", "People", describeContactPanel(question)],
] as const;

const tabs = panels.map(([name, title], place) =>
  `    <button type="button" role="tab" id="tab-${name}" aria-controls="panel-${name}" aria-selected="${
    place === 0
  }"${place === 0 ? "" : ' tabindex="-1"'}>${title}</button>`
).join("\n");

const tabPanels = panels.map(([name, , panel], place) =>
  `  <div class="tab-panel" role="tabpanel" id="panel-${name}" aria-labelledby="tab-${name}"${
    place === 0 ? "" : " hidden"
  }>
${panel}
  </div>`
).join("\n\n");

/** The console of a service: what an instance's client token opens, shown as it changes. */
export const serviceConsolePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Console · Messaging Integration API</title>
${icon}
<link rel="stylesheet" href="/console/console.css">
<script type="module" src="/console/service_main.js"></script>
</head>
<body>
<header class="top">
${logo}
  <div class="top-title">
    <h1>Console</h1>
    <p>What an instance sends, and what becomes of it</p>
  </div>
${languageSwitch}
</header>

<main class="layout service">
  <div class="side">
    <p class="problem" id="access-problem" role="alert" hidden></p>
    <div class="tabs" role="tablist" aria-label="Panels">
${tabs}
    </div>

${tabPanels}
  </div>
</main>
<noscript><p class="note">This page needs JavaScript to show what arrives.</p></noscript>
</body>
</html>
`;
