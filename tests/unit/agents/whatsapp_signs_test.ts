import fc from "fast-check";
import { toWhatsAppSigns } from "../../../shared/agents/whatsapp_signs.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { assertLinearTime } from "../../support/growth.ts";

function assertWritten(cases: Readonly<Record<string, string>>): void {
  for (const [said, shown] of Object.entries(cases)) {
    assertEquals(toWhatsAppSigns(said), shown, said);
  }
}

Deno.test("emphasis has WhatsApp's signs", () => {
  assertWritten({
    "**Olá** mundo": "*Olá* mundo",
    "__Olá__ e ***já***": "*Olá* e *_já_*",
    "~~velho~~ _novo_ *forte*": "~velho~ _novo_ *forte*",
    "**um**\n**dois**": "*um*\n*dois*",
    "**a *b* c**": "*a _b_ c*",
    "**Horário:** 9h": "*Horário:* 9h",
    "<b>a</b> <em>b</em><br>c": "*a* _b_\nc",
    "1\\. \\*a\\*": "1. *a*",
    "2 ** 3, 4**5, snake__case__x, **aberto": "2 ** 3, 4**5, snake__case__x, **aberto",
  });
});

Deno.test("headings become bold, and rules go", () => {
  assertWritten({
    "# Um\ntexto": "*Um*\ntexto",
    "###### **Seis** ##": "*Seis*",
    "Um\n===\ntexto": "*Um*\ntexto",
    "Dois\n---\ntexto": "*Dois*\ntexto",
    "a\n\n---\n\nb": "a\n\nb",
    "- item\n***\nb": "- item\n\nb",
    "#hashtag e # 3": "#hashtag e # 3",
  });
});

Deno.test("lists and quotes have WhatsApp's signs", () => {
  assertWritten({
    "* um\n+ dois\n- três\n• quatro": "- um\n- dois\n- três\n- quatro",
    "  * dentro\n1) um": "- dentro\n1. um",
    "- [ ] fazer\n- [x] feito": "- ☐ fazer\n- ☑ feito",
    "> cita\n>> de cita": "> cita\n> de cita",
    "* **Nome:** Ana": "- *Nome:* Ana",
  });
});

Deno.test("links show their words and their address, which no rule changes", () => {
  assertWritten({
    "[o site](https://a.example/x__y__z)": "o site (https://a.example/x__y__z)",
    "[https://a.example](https://a.example)": "https://a.example",
    '![foto](https://a.example/a.png "Foto")': "foto (https://a.example/a.png)",
    "[**x**](<https://a.example>)": "*x* (https://a.example)",
    "<https://a.example/**a**>": "https://a.example/**a**",
    "[ligar](tel:+551140001234) [e](mailto:a@b.example)": "ligar (+551140001234) e (a@b.example)",
    "[a](https://pt.example/X_(y))": "a (https://pt.example/X_(y))",
    "veja https://a.example/__x__": "veja https://a.example/__x__",
    "[Nome] (assim)": "[Nome] (assim)",
  });
});

Deno.test("a table becomes a line for each row", () => {
  assertWritten({
    "| Plano | Preço |\n|---|---:|\n| **Básico** | R$ 10 |\n| Pro | |\n\nfim":
      "- Plano: *Básico*; Preço: R$ 10\n- Plano: Pro\n\nfim",
    "A | B\n--- | ---\n1 | 2": "- A: 1; B: 2",
    "| a | b |": "| a | b |",
  });
});

Deno.test("code stays as it is, without the name of its language", () => {
  assertWritten({
    "```python\nx = **2**\n# a\n| b |\n```\nfim": "```x = **2**\n# a\n| b |```\nfim",
    "use `**x**`": "use `**x**`",
    "~~~\n* a\n~~~": "```* a```",
  });
});

Deno.test("for any text without signs nothing changes but blank lines at its ends", () => {
  const word = fc.constantFrom("Olá", "dez.", "R$ 1,50", "às 9h", "-", "\n", "👋", "ok)");
  fc.assert(fc.property(fc.array(word, { maxLength: 30 }), (words) => {
    const text = words.join(" ").replace(/-/g, "–").trim();
    assertEquals(toWhatsAppSigns(text), text);
  }));
});

Deno.test("for any Markdown no sign that only Markdown has is left, and no mark of ours", () => {
  const piece = fc.constantFrom(
    "**",
    "__",
    "[a](https://a.example)",
    "`",
    "a",
    " ",
    "\n",
    "# ",
    "|",
    "\uE0000\uE000",
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
    assert(!/\uE000|\]\(https/.test(toWhatsAppSigns(pieces.join("")).replaceAll(/`[^`]*`/g, "")));
  }));
});

Deno.test("writing WhatsApp's signs takes linear time", () => {
  const parts = [
    "**",
    "__",
    "`",
    "[",
    "[a](",
    "|",
    "~~",
    "\n",
    "* ",
    "<b>",
    "***",
    "# ",
    "https://",
  ];
  for (
    const part of [
      ...parts,
      "|-",
      "\\",
      "a|b\n-|-\n",
      "```",
      "(",
      "<br ",
      " ",
      "> ",
      "_",
      "-",
      "**a",
    ]
  ) {
    const make = (units: number): string => part.repeat(units);
    assertLinearTime({ make, work: toWhatsAppSigns, units: 100, factor: 100, what: part });
  }
});
