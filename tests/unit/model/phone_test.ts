import fc from "fast-check";
import {
  findPhoneFault,
  identityKeyOf,
  phonePattern,
  sanitizePhone,
} from "../../../shared/model/phone.ts";
import { assertEquals } from "../../support/assert.ts";

const digits = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((list) => list.join(""));
const areaCode = fc.integer({ min: 11, max: 99 }).filter((code) => code % 10 !== 0).map(String);
const mobileSubscriber = fc.tuple(fc.constantFrom("6", "7", "8", "9"), digits(7))
  .map((parts) => parts.join(""));
const landlineSubscriber = fc.tuple(fc.constantFrom("2", "3", "4", "5"), digits(7))
  .map((parts) => parts.join(""));
const anyPhone = fc.oneof(
  fc.integer({ min: 8, max: 15 }).chain(digits),
  fc.tuple(fc.constantFrom("55", "521", "52", "549", "54"), fc.integer({ min: 8, max: 11 }))
    .chain(([prefix, length]) => digits(length).map((rest) => prefix + rest)),
);

Deno.test("a phone has 8 to 15 digits", () => {
  for (const phone of ["12345678", "5511987654321", "123456789012345"]) {
    assertEquals(phonePattern.test(phone), true, phone);
  }
});

Deno.test("a phone is nothing but 8 to 15 ASCII digits", () => {
  const refused = [
    ...["", "1234567", "1234567890123456", "+5511987654321", "55 11 98765-4321", " 5511987654321"],
    ...[
      "5511987654321\n",
      "\n5511987654321",
      "5511987654321a",
      "٥٥١١٩٨٧٦٥٤٣٢١",
      "５５１１９８７６５４３２１",
    ],
  ];
  for (const value of refused) assertEquals(phonePattern.test(value), false, value);
});

Deno.test("a phone that a caller names begins with a country code and, in country code 1, with a real area code", () => {
  for (
    const phone of ["5511988887777", "12025550123", "19995550123", "447911123456", "2025550123"]
  ) {
    assertEquals(findPhoneFault(phone), null, phone);
  }
  for (const phone of ["11988887777", "10988887777", "011988887777", "00000000", "1198888777"]) {
    assertEquals(findPhoneFault(phone), "impossible", phone);
  }
  for (const text of ["", "+5511988887777", "011 98888-7777", "1234567"]) {
    assertEquals(findPhoneFault(text), "malformed", text);
  }
});

Deno.test("a Brazilian mobile with and without its ninth digit has one identity key", () => {
  fc.assert(fc.property(areaCode, mobileSubscriber, (area, subscriber) => {
    const full = `55${area}9${subscriber}`;
    assertEquals(identityKeyOf(`55${area}${subscriber}`), full);
    assertEquals(identityKeyOf(full), full);
  }));
});

Deno.test("a Brazilian landline keeps its digits and never meets a mobile", () => {
  fc.assert(fc.property(areaCode, landlineSubscriber, (area, subscriber) => {
    const landline = `55${area}${subscriber}`;
    assertEquals(identityKeyOf(landline), landline);
    assertEquals(identityKeyOf(`55${area}9${subscriber}`) === landline, false);
  }));
});

Deno.test("Brazilian numbers of any other length or kind keep their digits", () => {
  const kept = [
    "5511987654321", // 13 digits: complete
    "5511687654321", // 13 digits that do not begin with 9
    "55119876543210", // 14 digits
    "55118765432", // 11 digits
    "551112345678", // subscriber part beginning with 1
    "551101234567", // subscriber part beginning with 0
    "558007701234", // toll-free 0800
    "5508007701234", // toll-free with its leading zero
    "553003001234", // shared-cost 0300
    "5540041234", // 4004
    "551130041234", // a 3004 number of an area
  ];
  for (const phone of kept) assertEquals(identityKeyOf(phone), phone);
});

Deno.test("a Mexican number has one identity key with and without the mobile prefix 1", () => {
  fc.assert(fc.property(digits(10), (number) => {
    assertEquals(identityKeyOf(`521${number}`), `52${number}`);
    assertEquals(identityKeyOf(`52${number}`), `52${number}`);
  }));
  for (const phone of ["521123456789", "52112345678901"]) assertEquals(identityKeyOf(phone), phone);
});

Deno.test("an Argentinian number has one identity key with and without the mobile prefix 9", () => {
  fc.assert(fc.property(digits(10), (number) => {
    assertEquals(identityKeyOf(`549${number}`), `54${number}`);
    assertEquals(identityKeyOf(`54${number}`), `54${number}`);
  }));
  for (const phone of ["549113456789", "54911345678901"]) assertEquals(identityKeyOf(phone), phone);
});

Deno.test("numbers of other countries keep their digits", () => {
  const kept = ["351912345678", "14155552671", "5698765432", "595981234567", "49891234567890"];
  for (const phone of kept) assertEquals(identityKeyOf(phone), phone);
});

Deno.test("an identity key is a phone and its own identity key", () => {
  fc.assert(
    fc.property(anyPhone, (phone) => {
      const key = identityKeyOf(phone);
      assertEquals(identityKeyOf(key), key);
      assertEquals(phonePattern.test(key), true);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("different numbers share a key only as spellings of one number", () => {
  const spellingsOf = (key: string): string[] => [
    key,
    key.replace(/^(55..)9([6-9].{7})$/, "$1$2"),
    key.replace(/^52(.{10})$/, "521$1"),
    key.replace(/^54(.{10})$/, "549$1"),
  ];
  fc.assert(
    fc.property(anyPhone, (phone) => {
      assertEquals(spellingsOf(identityKeyOf(phone)).includes(phone), true, phone);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("sanitizePhone leaves the digits in their order", () => {
  const cases: readonly [string, string][] = [
    ["+55 (11) 98765-4321", "5511987654321"],
    ["55.11.98765.4321", "5511987654321"],
    ["\u00a0+55\u200911\u201198765\t4321\n", "5511987654321"],
    ["tel:+55-11-98765-4321", "5511987654321"],
    ["5511987654321", "5511987654321"],
    ["no number", ""],
    ["", ""],
  ];
  for (const [text, expected] of cases) assertEquals(sanitizePhone(text), expected);
});

Deno.test("sanitizePhone reads a phone from a link, an account, a card, a spreadsheet, and among marks that nobody sees", () => {
  const phone = "5511988887777";
  const marks = ["\u00ad", "\u061c", "\u200e", "\u202a", "\u2060", "\u2069", "\ufeff", "\u{e0001}"];
  const notations = [
    ...marks.flatMap((mark) => [`${mark}+55 11 98888-7777${mark}`, `${mark}00${phone}`]),
    ...["0055 (11) 98888-7777", "+0055 11 98888-7777", "００5511988887777", "+٥٥ ١١ ٩٨٨٨٨ ٧٧٧٧"],
    ...["tel:+55-11-98888-7777;ext=5", "TEL:+5511988887777", "sms:+5511988887777?body=Oi%202"],
    ...["TEL;type=CELL;waid=5511988887777:+55 11 98888-7777", "item1.TEL:+55 11 98888-7777"],
    ...[
      "whatsapp:+5511988887777",
      "whatsapp:5511988887777",
      "whatsapp://send?phone=5511988887777&text=2",
    ],
    ...[
      "wa.me/5511988887777",
      "https://wa.me/+5511988887777?text=Oi%202",
      "http://www.wa.me/5511988887777/",
    ],
    ...["https://wa.me/c/5511988887777", "https://wa.me/p/4567/5511988887777"],
    ...["https://api.whatsapp.com/send?phone=%2B5511988887777&text=12", "WA.ME/5511988887777#1"],
    ...[
      "https://web.whatsapp.com/send/?text=1&phone=5511988887777",
      "https://wa.me/send?phone=5511988887777",
    ],
    ...[`${phone}@s.whatsapp.net`, `${phone}:12@s.whatsapp.net`, `${phone}_1:12@s.whatsapp.net`],
    ...[
      `${phone}.0:3@s.whatsapp.net`,
      `${phone}@c.us`,
      `${phone}@hosted`,
      "sip:+5511988887777@x.com",
    ],
    ...[
      `'${phone}`,
      `="${phone}"`,
      `${phone}.0`,
      `${phone},00`,
      "5.511988887777E+12",
      "5,511988887777e12",
    ],
  ];
  for (const text of notations) assertEquals(sanitizePhone(text), phone, JSON.stringify(text));
});

Deno.test("sanitizePhone gives no digits for what names no phone", () => {
  const others = [
    ...["123456789012345@lid", "123456789012345:2@hosted.lid", "120363025246125016@g.us"],
    ...[
      "120363025246125016-group",
      "5511988887777-1623456789@g.us",
      "123@newsletter",
      "1@broadcast",
    ],
    ...[
      "wa.me/message/A1B2C3",
      "https://wa.me/qr/A1B2",
      "https://chat.whatsapp.com/A1B2",
      "wa.me/?text=12",
    ],
    ...["https://whatsapp.com/channel/0029", "5.51199E+12", "\u200e\u2060"],
  ];
  for (const text of others) assertEquals(sanitizePhone(text), "", text);
});

Deno.test("sanitizePhone gives digits only, and digits unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const sanitized = sanitizePhone(text);
    assertEquals(/^[0-9]*$/.test(sanitized), true);
    assertEquals(sanitizePhone(sanitized), sanitized);
  }));
});
