import { escapeHtml } from "../../shared/model/html.ts";
import { writeConnectScript } from "./page_script.ts";
import { pageStyle } from "./page_style.ts";
import { connectWords } from "./words.ts";

/** A page with its Content Security Policy. */
export interface ConnectPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * Renders the page on which a phone is connected. It is the same for every link, holds nothing of an instance,
 * and loads nothing from elsewhere. It carries its policy and the function's address, so a copy of it works on
 * any static host.
 *
 * @param apiUrl the address of the function, without a trailing slash.
 */
export async function renderConnectPage(apiUrl: string): Promise<ConnectPage> {
  const script = writeConnectScript(apiUrl);
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${await hash(script)}'`,
    `style-src 'sha256-${await hash(pageStyle)}'`,
    "img-src data:",
    `connect-src 'self' ${new URL(apiUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return {
    html: writeHtml(script, policy),
    // Browsers read `frame-ancestors` of the header alone.
    contentSecurityPolicy: `${policy}; frame-ancestors 'none'`,
  };
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

function writeHtml(script: string, policy: string): string {
  const steps = (kind: string): string =>
    ["iphone", "android"].map((phone) =>
      `<h3>${phone === "iphone" ? "iPhone" : "Android"}</h3>
<ol data-steps="${kind} ${phone}"></ol>`
    ).join("\n");
  return `<!doctype html>
<html lang="pt">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<title>WhatsApp</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1 id="heading">WhatsApp</h1>
<p id="status" role="status" aria-live="polite"></p>
<noscript><p>${escapeHtml(connectWords.pt.noScript)}</p><p lang="en">${
    escapeHtml(connectWords.en.noScript)
  }</p><p lang="es">${escapeHtml(connectWords.es.noScript)}</p></noscript>
<form id="choice" hidden>
<fieldset>
<legend class="note" data-word="title"></legend>
<label><input type="radio" name="method" value="qr"><span><span data-word="scan"></span><small data-word="scanHint"></small></span></label>
<label><input type="radio" name="method" value="code"><span><span data-word="type"></span><small data-word="typeHint"></small></span></label>
</fieldset>
</form>
<section id="scan" class="card" aria-labelledby="scan-title" hidden>
<h2 id="scan-title" data-word="scan"></h2>
<img id="picture" alt="" hidden>
<button type="button" id="renew" data-word="newCode" hidden></button>
<h2 data-word="howTo"></h2>
${steps("scanSteps")}
</section>
<section id="type" class="card" aria-labelledby="type-title" hidden>
<h2 id="type-title" data-word="type"></h2>
<form id="phone-form" novalidate>
<label for="phone" data-word="phoneLabel"></label>
<input type="tel" id="phone" autocomplete="tel" inputmode="tel" aria-describedby="phone-example status" required>
<p class="note" id="phone-example" data-word="phoneExample"></p>
<button type="submit" id="get-code" data-word="getCode"></button>
</form>
<div id="typed-code" hidden>
<h2 id="typed-title" data-word="codeLabel"></h2>
<p id="typed" role="status" aria-labelledby="typed-title typed" translate="no"></p>
</div>
<h2 data-word="howTo"></h2>
${steps("typeSteps")}
</section>
<section id="done" class="card" tabindex="-1" aria-labelledby="heading" hidden>
<p data-word="done"></p>
<button type="button" id="test" data-word="sendTest"></button>
<p class="note" id="test-hint" data-word="testHint"></p>
</section>
<p id="until" class="note"></p>
</main>
<script>${script}</script>
</body>
</html>
`;
}
