/** The console in the language of its browser, with its clock. */
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { testConsole } from "../support/browser/console.ts";

const phone = "5511944443333";

/** What each browser shows: its words, its clock, and its date before the time of a later day. */
const languages = [
  ["pt-BR", "Telefones", "É secretKey em", /^\d{2}:\d{2}$/, /^\d{2}\/\d{2}\/\d{4}, \d{2}:\d{2}$/],
  ["en-US", "Phones", "It is secretKey in", /^\d{2}:\d{2}\s[AP]M$/, /^[\d/]+, \d+:\d{2}\s[AP]M$/],
  ["en-GB", "Phones", "It is secretKey in", /^\d{2}:\d{2}$/, /^\d{2}\/\d{2}\/\d{4}, \d{2}:\d{2}$/],
] as const;

testConsole(
  "the console has the words and the clock of its browser, and keeps its layout",
  async ({ stack, demo, open }) => {
    const described = await (await fetch(`${stack.origin}/simulator/demo`)).json();
    const kept = JSON.parse(await Deno.readTextFile(described.secretKeyFile));
    const opened = await fetch(`${stack.origin}/functions/v1/admin-api/workspaces`, {
      headers: { apikey: kept.secretKey },
    });
    await opened.body?.cancel();
    assertEquals(opened.status, 200, "the key is where the page says");
    assert(!JSON.stringify(described).includes(kept.secretKey), "the page is told the place alone");

    const text = { instanceId: "demo", phone, messageType: "text" };
    await stack.call(demo, "send-message", { ...text, message: "Agora" });
    const later = { ...text, message: "Depois", queued: true, delayMessage: 86_400 };
    assertEquals((await stack.call(demo, "send-message", later)).status, 200);
    for (const [locale, title, place, clock, date] of languages) {
      await using browser = await open({ locale });
      const { page } = browser;
      await page.locator("#bubbles time").first().waitFor();
      await page.locator("#queue-rows time").first().waitFor();
      assertMatch(await page.locator("#phones-title").innerText(), new RegExp(`^${title}`));
      const keys = await page.locator("[aria-labelledby=keys-title]").innerText();
      for (
        const words of ["X-Client-Token", "admin-api", "dispatch-queue", described.secretKeyFile]
      ) {
        assert(keys.includes(words), `${locale}: ${words}`);
      }
      assert(keys.includes(place), `${locale}: ${keys}`);
      assertMatch(await page.locator("#bubbles time").first().innerText(), clock, locale);
      assertMatch(await page.locator("#queue-rows time").first().innerText(), date, locale);
      const layout = await page.evaluate(`[
        document.documentElement.scrollWidth - innerWidth,
        [...document.querySelectorAll("time")].filter((time) => time.getClientRects().length > 1).length,
        [...document.querySelectorAll("time")].filter((time) =>
          time.getBoundingClientRect().right > innerWidth).length,
      ]`);
      assertEquals(layout, [0, 0, 0], `${locale}: no scrolling, no broken and no cut time`);
      assertEquals(
        await page.evaluate("document.documentElement.lang"),
        locale.startsWith("pt") ? "pt-BR" : "en",
      );
      assertEquals(browser.faults, []);
    }
  },
  { SUPABASE_SECRET_KEY: "" },
);

testConsole(
  "the console's language is switched by hand, and remembered",
  async ({ stack, demo, open }) => {
    const text = { instanceId: "demo", phone, messageType: "text", message: "Olá" };
    assertEquals((await stack.call(demo, "send-message", text)).status, 200);
    const switched = [
      ["en-US", "Language", "pt", "Telefones", /^\d{2}:\d{2}$/, "pt-BR"],
      ["pt-BR", "Idioma", "en", "Phones", /^\d{2}:\d{2}\s[AP]M$/, "en"],
      ["fr-FR", "Language", "pt", "Telefones", /^\d{2}:\d{2}$/, "pt-BR"],
    ] as const;
    for (const [locale, label, chosen, title, clock, lang] of switched) {
      await using browser = await open({ locale });
      const { page } = browser;
      const heading = page.locator("#phones-title");
      assertEquals(await page.getByLabel(label).inputValue(), locale === "pt-BR" ? "pt" : "en");
      await page.getByLabel(label).selectOption(chosen);
      for (const reload of [false, true]) {
        if (reload) await page.reload();
        await heading.filter({ hasText: title }).waitFor();
        assertMatch(await page.locator("#bubbles time").first().innerText(), clock, locale);
        assertEquals(await page.evaluate("document.documentElement.lang"), lang);
        assertEquals(await page.locator("#language").inputValue(), chosen);
      }
      assertEquals(browser.faults, []);
    }
  },
);
