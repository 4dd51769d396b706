import fc from "fast-check";
import { conversationUrl, renderAssignmentEmail } from "../../../shared/outbox/assignment_email.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";

const values = {
  contactName: "Maria Souza",
  contactPhone: "5511987654321",
  conversationUrl: "https://panel.example.com/c/chat/551133334444/5511987654321",
  operatorName: "João",
};

Deno.test("the e-mail names operator, contact, phone and conversation", () => {
  const { subject, text, html } = renderAssignmentEmail(values);
  assertEquals(subject, "Nova conversa atribuída a você: Maria Souza");
  for (const body of [text, html]) {
    assertMatch(body, /Olá, João!/);
    assertMatch(body, /Maria Souza/);
    assertMatch(body, /\+5511987654321/);
    assert(body.includes(values.conversationUrl));
  }
  assert(html.includes(`href="${values.conversationUrl}"`));
});

Deno.test("a contact without a name is shown by phone", () => {
  for (const contactName of [undefined, null, "", "  ", "\n"]) {
    const { subject, text } = renderAssignmentEmail({ ...values, contactName });
    assertEquals(subject, "Nova conversa atribuída a você: +5511987654321");
    assertMatch(text, /Contato: \+5511987654321/);
  }
});

Deno.test("an operator without a name is greeted without one", () => {
  for (const operatorName of [undefined, null, " "]) {
    assertMatch(renderAssignmentEmail({ ...values, operatorName }).text, /^Olá!\n/);
  }
});

Deno.test("every value is escaped in the HTML", () => {
  const attack = `"><script>alert('1')</script>&amp;`;
  const plain = renderAssignmentEmail(values).html;
  for (const field of ["contactName", "contactPhone", "conversationUrl", "operatorName"] as const) {
    const { html } = renderAssignmentEmail({ ...values, [field]: attack });
    assert(!html.includes("<script"), field);
    assert(html.includes("&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;"));
    assertEquals(html.split("<").length, plain.split("<").length);
    assertEquals(html.split('"').length, plain.split('"').length);
  }
});

Deno.test("no name can add a header or a line", () => {
  const breaks = ["\r\n", "\n", "\r", "\0", "\x0b", "\x85", "\u2028", "\u2029", "\u202e", "\ud800"];
  for (const character of breaks) {
    const contactName = `Maria${character}Bcc: victim@example.com`;
    const { subject, text } = renderAssignmentEmail({ ...values, contactName });
    assertEquals(subject, "Nova conversa atribuída a você: Maria Bcc: victim@example.com");
    assertMatch(text, /Contato: Maria Bcc: victim@example.com\n/);
  }
});

Deno.test("a subject is one well-formed line of bounded length for any name", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (contactName) => {
    const { subject, html } = renderAssignmentEmail({ ...values, contactName });
    assertMatch(subject, /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u);
    assert(Array.from(subject).length <= 120);
    assertMatch(html, /<title>[^<>\n]*<\/title>/);
  }));
});

Deno.test("a long name is shortened between characters", () => {
  const { subject } = renderAssignmentEmail({ ...values, contactName: "😀".repeat(100) });
  assertEquals(subject, `Nova conversa atribuída a você: ${"😀".repeat(79)}…`);
});

Deno.test("the conversation opens at /c/chat/<instance phone>/<contact phone> of the panel", () => {
  const expected = "https://panel.example.com/app/c/chat/551133334444/5511987654321";
  for (const base of ["https://panel.example.com/app", "https://panel.example.com/app//"]) {
    assertEquals(conversationUrl(base, "551133334444", "5511987654321"), expected);
  }
  assertEquals(
    conversationUrl("https://panel.example.com", "a/b?c", "d#e"),
    "https://panel.example.com/c/chat/a%2Fb%3Fc/d%23e",
  );
});
