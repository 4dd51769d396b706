import { assertEquals } from "../../support/assert.ts";
import { createSanitizePhoneNumberApp } from "../../../functions/sanitize-phone-number/app.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const app = createSanitizePhoneNumberApp({ info: () => {}, error: () => {} });

async function sanitize(body: Readonly<Record<string, unknown>>): Promise<
  { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
> {
  const response = await callApp(app, "/sanitize-phone-number", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("with country the digits have the country code, and isPossible says whether such a number can exist", async () => {
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ["(11) 98888-7777", "BR", "5511988887777", true],
    ["011 98888-7777", "BR", "5511988887777", true],
    ["+55 (11) 98888-7777", "BR", "5511988887777", true],
    ["5511988887777", "BR", "5511988887777", true],
    ["(11) 98888-7777", "br", "5511988887777", true],
    ["+1 213 373 4253", "BR", "12133734253", true],
    ["213 373 4253", "US", "12133734253", true],
    ["020 7946 0958", "GB", "442079460958", true],
    ["tel:+55-11-98888-7777", "US", "5511988887777", true],
    ["912 345 678", "PT", "351912345678", true],
    ["00351 912 345 678", "PT", "351912345678", true],
    ["011 15-2345-6789", "AR", "5491123456789", true],
    ["11 2345-6789", "AR", "541123456789", true],
    ["55 1234 5678", "MX", "525512345678", true],
    ["+52 1 55 1234 5678", "MX", "5215512345678", true],
    ["+52 1 55 1234 56789", "MX", "52155123456789", false],
    // 00 stands before a country code everywhere, and in Brazil before a carrier too.
    ["0055 11 98888-7777", "BR", "5511988887777", true],
    ["0055 11 98888-7777", "US", "5511988887777", true],
    ["\u200e00 55 11 98888-7777", "US", "5511988887777", true],
    ["001 415 555 2671", "BR", "14155552671", true],
    ["00 15 1 415 555 2671", "BR", "14155552671", true],
    ["011 55 11 98888-7777", "US", "5511988887777", true],
    ["wa.me/12133734253", "BR", "12133734253", true],
    ["12133734253:3@s.whatsapp.net", "BR", "12133734253", true],
    ["whatsapp:+5511988887777", "US", "5511988887777", true],
    ["\u202a(11) 98888-7777\u202c", "BR", "5511988887777", true],
    ["(+55) 11 98888-7777", "US", "5511988887777", true],
    ["(415) 555-2671 ext. 5", "US", "14155552671", true],
    ["(415) 555-2671x5", "US", "14155552671", true],
    ["Fax 1234567", "BR", "551234567", false],
    ["tel:98888-7777;phone-context=+55-11", "US", "5511988887777", true],
    ["+1 123 456 7890", "BR", "11234567890", false],
    ["123456789012345@lid", "BR", "", false],
    ["5,51199E+12", "BR", "", false],
    ["11 5555", "BR", "55115555", false],
    // A Brazilian number has an area code; service numbers have none.
    ["97777-1234", "BR", "55977771234", false],
    ["3333-4444", "BR", "5533334444", false],
    ["(10) 97777-1234", "BR", "5510977771234", false],
    ["(11) 3333-4444", "BR", "551133334444", true],
    ["(11) 7777-1234", "BR", "551177771234", true],
    ["4004-1234", "BR", "5540041234", true],
    ["0800 770 1234", "BR", "558007701234", true],
    ["+55 11 97777-12345", "US", "55119777712345", false],
    ["---", "BR", "", false],
    ["tel", "BR", "", false],
  ];
  for (const [phone, country, sanitized, isPossible] of cases) {
    assertEquals(
      await sanitize({ phone, country }),
      { status: 200, body: { success: true, original: phone, sanitized, isPossible } },
      phone,
    );
  }
});

Deno.test("without country the answer has the digits alone, and no number is completed", async () => {
  for (const fields of [{}, { country: null }]) {
    assertEquals(await sanitize({ phone: "(11) 98888-7777", ...fields }), {
      status: 200,
      body: { success: true, original: "(11) 98888-7777", sanitized: "11988887777" },
    });
  }
});

Deno.test("what is no country is refused", async () => {
  for (const country of ["", "BRA", "ZZ", "Brazil", 55, true, [], "\u0000B"]) {
    const { status, body } = await sanitize({ phone: "11 98888-7777", country });
    assertEquals([status, body["error"]], [400, "invalid_request"], String(country));
    const [issue] = body["issues"] as readonly { readonly path: string }[];
    assertEquals(issue?.path, "country");
  }
});
