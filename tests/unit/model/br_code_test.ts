import {
  buildStaticCode,
  checkBrCode,
  findPixKeyFault,
  foldToAscii,
  normalizePixKey,
  pixKeyTypeOf,
  toTxid,
} from "../../../shared/model/br_code.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const staticCode =
  "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";
const dynamicCode =
  "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB";
const amountCode =
  "00020101021126330014br.gov.bcb.pix0111123456789095204000053039865406129.905802BR5911LOJA MODELO6009SAO PAULO62100506PED8126304ED20";
const shopCode =
  "00020101021226790014br.gov.bcb.pix2557pix.exemplo.com.br/qr/v2/9d36b84fc70b478fb95c12729b90ca255204000053039865802BR5911LOJA MODELO6009SAO PAULO62070503***63047EFD";

Deno.test("a code's account, name, city, amount and txid are read", () => {
  assertEquals(checkBrCode(staticCode), {
    code: {
      kind: "static",
      key: "123e4567-e12b-12d1-a456-426655440000",
      merchantName: "Fulano de Tal",
      merchantCity: "BRASILIA",
      cents: null,
      txid: "***",
    },
  });
  assertEquals(checkBrCode(amountCode, 12_990n).code?.cents, 12_990n);
  assertEquals(checkBrCode(amountCode).code?.txid, "PED812");
  for (const code of [dynamicCode, shopCode]) {
    assertEquals(checkBrCode(code, 5n).code?.kind, "dynamic");
  }
});

Deno.test("a faulty code is refused with its fault", () => {
  const table: readonly (readonly [code: string, fault: RegExp])[] = [
    [shopCode.replace("9d36", "9d16"), /wrong checksum/],
    [shopCode.replace(/7EFD$/, "7efd"), /wrong checksum/],
    [`${amountCode}\n`, /line breaks/],
    [amountCode.replace("LOJA M", "LOJA\r\nM"), /line breaks/],
    [` ${amountCode}`, /blank/],
    [`${amountCode} `, /blank/],
    [`${amountCode}0`, /wrong lengths/],
    [`${amountCode}9900`, /end with its checksum/],
    [amountCode.slice(0, -1), /wrong lengths/],
    [amountCode.slice(0, -8), /lacks its checksum/],
    [amountCode.replace("LOJA", "LÓJA"), /ASCII/],
    [amountCode.slice(6), /begin with 000201/],
    ["", /begin with 000201/],
    ["https://pix.example.com", /begin with 000201/],
    [withChecksum(amountCode.replace("52040000", "")), /lacks field 52/],
    [withChecksum(amountCode.replace("5303986", "")), /lacks field 53/],
    [withChecksum(amountCode.replace("5802BR", "")), /lacks field 58/],
    [withChecksum(amountCode.replace("5911LOJA MODELO", "")), /lacks field 59/],
    [withChecksum(amountCode.replace("6009SAO PAULO", "")), /lacks field 60/],
    [withChecksum(amountCode.replace("5303986", "5303840")), /in reais/],
    [withChecksum(amountCode.replace("5802BR", "5802US")), /of Brazil/],
    [withChecksum(amountCode.replace(/2633.{33}/, "")), /lacks the account/],
    [
      withChecksum(amountCode.replace(/2633.{33}/, "26180014br.gov.bcb.pix")),
      /neither a key nor the address/,
    ],
    [
      withChecksum(
        amountCode.replace(/2633.{33}/, "26380014br.gov.bcb.pix0111123456789092501x"),
      ),
      /both a key and the address/,
    ],
    [withChecksum(amountCode.replace("5406129.90", "5406129,90")), /no valid amount/],
    [withChecksum(amountCode.replace("5303986", "53039865303986")), /wrong lengths/],
    ["000201".padEnd(513, "0"), /longer than 512/],
  ];
  for (const [code, fault] of table) {
    const found = checkBrCode(code, 12_990n).fault;
    assert(found !== undefined && fault.test(found), `${found} for ${code}`);
  }
});

Deno.test("a code of another amount is refused with both amounts", () => {
  assertEquals(
    checkBrCode(amountCode, 12_991n).fault,
    "is of another amount: 129.90, not 129.91",
  );
});

Deno.test("no single changed character passes, wherever it stands", () => {
  for (let at = 0; at < amountCode.length; at++) {
    for (const sign of ["0", "9", "A", "z", "."]) {
      if (amountCode[at] === sign) continue;
      const changed = amountCode.slice(0, at) + sign + amountCode.slice(at + 1);
      assert(checkBrCode(changed).fault !== undefined, changed);
    }
  }
});

Deno.test("a static code is built as the manual's example is", () => {
  const code = buildStaticCode({
    key: "12345678909",
    merchantName: "LOJA MODELO",
    merchantCity: "SÃO PAULO",
    cents: 12_990n,
    reference: "PED-812",
  });
  assertEquals(code, amountCode);
});

Deno.test("names lose their accents and what codes cannot carry, and are cut", () => {
  assertEquals(foldToAscii("Padaria São João & Filhos Ltda ME", 25), "Padaria Sao Joao & Filhos");
  assertEquals(foldToAscii("Café 😀 Ação", 25), "Cafe Acao");
  assertEquals(foldToAscii("Straße ŁØ", 25), "Strasse LO");
  assertEquals(foldToAscii("😀", 25), "");
  assertEquals(toTxid("ped-812_a.b"), "ped812ab");
  assertEquals(toTxid("a".repeat(20) + "-" + "b".repeat(14)), "a".repeat(11) + "b".repeat(14));
  assertEquals(toTxid("---"), "***");
});

Deno.test("keys have the form and the check digits of their type", () => {
  const right = [
    ["123.456.789-09", "cpf"],
    ["11.222.333/0001-81", "cnpj"],
    ["12.abc.345/01de-35", "cnpj"],
    ["Loja@Example.com", "email"],
    ["+55 (11) 99999-8888", "phone"],
    ["123E4567-e12b-12d1-a456-426655440000", "random"],
  ] as const;
  for (const [key, type] of right) {
    const normal = normalizePixKey(key, type);
    assertEquals(findPixKeyFault(normal, type), null, key);
    assertEquals(pixKeyTypeOf(normal), type);
  }
  const wrong = [
    ["12345678900", "cpf"],
    ["11111111111", "cpf"],
    ["11222333000182", "cnpj"],
    ["00000000000000", "cnpj"],
    ["loja.example.com", "email"],
    ["11999998888", "phone"],
    ["12345678909", "random"],
  ] as const;
  for (const [key, type] of wrong) assert(findPixKeyFault(key, type) !== null, key);
});

/** The code with the checksum that fits it, to reach what is checked after it. */
function withChecksum(text: string): string {
  for (let value = 0; value < 0x10000; value++) {
    const sum = value.toString(16).toUpperCase().padStart(4, "0");
    const made = text.slice(0, -4) + sum;
    if (!/wrong checksum/.test(checkBrCode(made).fault ?? "")) return made;
  }
  throw new Error("no checksum fits");
}
