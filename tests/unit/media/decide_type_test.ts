import { decideReceivedType, decideUploadType } from "../../../shared/media/decide_type.ts";
import { MediaFault } from "../../../shared/media/media_fault.ts";
import type { MediaKind } from "../../../shared/media/media_rules.ts";
import { assertEquals } from "../../support/assert.ts";
import { heads, toBytes } from "../../support/fixtures/media_files.ts";

const office = "application/vnd.openxmlformats-officedocument.";
const docx = `${office}wordprocessingml.document`;
const xlsx = `${office}spreadsheetml.sheet`;

/** What is decided, or why the file is refused. */
function decide(work: () => { mimeType: string; kind: MediaKind }): string {
  try {
    const { mimeType, kind } = work();
    return `${kind} ${mimeType}`;
  } catch (error) {
    if (error instanceof MediaFault) return error.reason;
    throw error;
  }
}

type Head = keyof typeof heads;

function upload(head: Head, contentType?: string, fileName?: string): string {
  return decide(() => decideUploadType(toBytes(heads[head]), { contentType, fileName }));
}

function receive(kind: MediaKind, head: Head, contentType?: string, fileName?: string): string {
  return decide(() => decideReceivedType(toBytes(heads[head]), { contentType, fileName }, kind));
}

Deno.test("an upload that says nothing of its type gets the one that its content shows", () => {
  const cases: readonly (readonly [Head, string])[] = [
    ["jpeg", "image image/jpeg"],
    ["png", "image image/png"],
    ["mp3", "audio audio/mpeg"],
    ["mp3Frame", "audio audio/mpeg"],
    ["aac", "audio audio/aac"],
    ["amr", "audio audio/amr"],
    ["ogg", "audio audio/ogg"],
    ["wav", "audio audio/wav"],
    ["m4a", "audio audio/mp4"],
    ["mp4", "video video/mp4"],
    ["threeGp", "video video/3gpp"],
    ["pdf", "document application/pdf"],
    ["docx", `document ${docx}`],
    ["xlsx", `document ${xlsx}`],
    ["text", "document text/plain"],
  ];
  for (const [head, expected] of cases) {
    assertEquals(upload(head), expected, head);
    assertEquals(upload(head, "application/octet-stream"), expected, head);
    const [, mimeType] = expected.split(" ");
    assertEquals(upload(head, `${mimeType}; charset=binary`), expected, head);
  }
});

Deno.test("a type that shares its container with others is the one that it is said to be", () => {
  assertEquals(upload("mp4", "audio/mp4"), "audio audio/mp4");
  assertEquals(upload("mp4", "audio/x-m4a"), "audio audio/mp4");
  assertEquals(upload("webp"), "image image/webp");
  assertEquals(upload("ooxml", docx), `document ${docx}`);
  assertEquals(upload("ooxml", undefined, "Preços.XLSX"), `document ${xlsx}`);
  assertEquals(upload("ole", "application/msword"), "document application/msword");
  assertEquals(upload("ole", undefined, "old.xls"), "document application/vnd.ms-excel");
  assertEquals(upload("text", undefined, "list.csv"), "document text/csv");
});

Deno.test("an upload whose content is not what it is said to be is refused", () => {
  const lies: readonly (readonly [Head, string])[] = [
    ["png", "image/jpeg"],
    ["html", "image/jpeg"],
    ["html", "text/plain"],
    ["executable", "application/pdf"],
    ["text", "image/png"],
    ["pdf", "audio/mpeg"],
    ["docx", xlsx],
    ["zip", docx],
    ["ole", "application/pdf"],
    ["wav", "audio/mpeg"],
    ["mp4", "audio/ogg"],
  ];
  for (const [head, contentType] of lies) {
    assertEquals(upload(head, contentType), "type_mismatch", `${head} as ${contentType}`);
  }
});

Deno.test("an upload of another type than the channels carry is refused, whatever it is called", () => {
  for (const head of ["html", "svg", "gif", "heic", "zip", "ole", "executable"] as const) {
    assertEquals(upload(head), "type_not_allowed", head);
  }
  assertEquals(upload("html", "text/html"), "type_not_allowed");
  assertEquals(upload("svg", "image/svg+xml"), "type_not_allowed");
  assertEquals(upload("text", "application/javascript"), "type_not_allowed");
});

Deno.test("a received file is of the type that the provider's event names", () => {
  assertEquals(receive("image", "jpeg", "image/jpeg"), "image image/jpeg");
  assertEquals(receive("image", "webp", "image/webp"), "image image/webp");
  assertEquals(receive("image", "gif", "image/gif"), "image image/gif");
  assertEquals(receive("image", "heic", "image/heic"), "image image/heif");
  assertEquals(receive("audio", "ogg", "audio/ogg; codecs=opus"), "audio audio/ogg");
  assertEquals(receive("audio", "mp4", "audio/mp4"), "audio audio/mp4");
  assertEquals(receive("audio", "mp4"), "audio audio/mp4");
});

Deno.test("a received file whose content and name disagree is kept, as what no browser shows", () => {
  const unknown = "application/octet-stream";
  assertEquals(receive("image", "png", "image/jpeg"), `image ${unknown}`);
  assertEquals(receive("image", "pdf", "image/jpeg"), `image ${unknown}`);
  assertEquals(receive("image", "pdf"), `image ${unknown}`);
  assertEquals(receive("video", "jpeg"), `video ${unknown}`);
  assertEquals(receive("audio", "mp4", "audio/ogg"), `audio ${unknown}`);
  assertEquals(receive("document", "zip", "application/pdf"), `document ${unknown}`);
  assertEquals(receive("document", "docx", xlsx), `document ${unknown}`);
  assertEquals(receive("document", "html", "text/plain"), `document ${unknown}`);
  assertEquals(decide(() => receiveBytes("\x01\x02", "application/pdf")), `document ${unknown}`);
});

Deno.test("a received file that runs and is called something else is refused", () => {
  assertEquals(receive("image", "html"), "type_mismatch");
  assertEquals(receive("image", "html", "image/jpeg"), "type_mismatch");
  assertEquals(receive("image", "svg", "image/png"), "type_mismatch");
  assertEquals(receive("audio", "executable", "audio/mpeg"), "type_mismatch");
  for (const head of ["executable", "html", "svg"] as const) {
    assertEquals(receive("document", head, "application/pdf"), "type_mismatch", head);
  }
  assertEquals(receive("document", "executable", "application/msword"), "type_mismatch");
  for (
    const head of [
      "\x7fELF\x02\x01\0",
      "#!/bin/sh\nrm",
      "<?php %PDF-",
      "#!/bin/sh\n%PDF-1.4",
      "#!/bin/sh\n\0",
    ]
  ) {
    assertEquals(decide(() => receiveBytes(head, "application/pdf")), "type_mismatch", head);
  }
  assertEquals(
    decide(() => receiveBytes(utf16("<script>x</script>"), "image/png")),
    "type_mismatch",
  );
});

Deno.test("a received document may be of any type", () => {
  assertEquals(receive("document", "pdf", "application/pdf"), "document application/pdf");
  assertEquals(receive("document", "jpeg", "image/jpeg"), "document image/jpeg");
  assertEquals(receive("document", "zip", "application/zip"), "document application/zip");
  assertEquals(receive("document", "html", "text/html"), "document text/html");
  assertEquals(receive("document", "text", "application/json"), "document application/json");
  assertEquals(receive("document", "executable"), "document application/octet-stream");
  assertEquals(receive("document", "executable", "image/vnd.dwg"), "document image/vnd.dwg");
  assertEquals(decide(() => receiveBytes("#!/bin/sh\nls", "text/x-sh")), "document text/x-sh");
});

function receiveBytes(
  head: string,
  contentType?: string,
  fileName?: string,
): { mimeType: string; kind: MediaKind } {
  return decideReceivedType(toBytes(head), { contentType, fileName }, "document");
}

/** The bytes of a text in UTF-16, one character each, with the mark of its order. */
function utf16(text: string, isBig = false, mark = isBig ? "\xfe\xff" : "\xff\xfe"): string {
  const units = Array.from({ length: text.length }, (_, place) => text.charCodeAt(place));
  return mark + units.map((unit) => {
    const [high, low] = [String.fromCharCode(unit >> 8), String.fromCharCode(unit & 255)];
    return isBig ? high + low : low + high;
  }).join("");
}

const excel = "application/vnd.ms-excel";
const table = "<html><body><table><tr><td>1</td></tr></table></body></html>";
const words = "Olá, pedido 42; preço 10 €\r\n".repeat(200);

/** What programs really write under a type's name: content, type, name of the file, and what it is. */
const honest: readonly (readonly [string, string | undefined, string | undefined, string])[] = [
  ["\xef\xbb\xbf%PDF-1.7\n", "application/pdf", undefined, "application/pdf"],
  ["\r\n\n%PDF-1.4\n", undefined, undefined, "application/pdf"],
  ["HTTP header: x\n%PDF-1.4\n", "application/pdf", undefined, "application/pdf"],
  ["junk %PDF-1.4\n", undefined, "nota.PDF", "application/pdf"],
  [`\x00\x01${"\x00".repeat(900)}%PDF-1.4`, undefined, undefined, "application/pdf"],
  [utf16(words), undefined, undefined, "text/plain"],
  [utf16(words), "text/plain", undefined, "text/plain"],
  [utf16(words, true), "text/csv; charset=utf-16", undefined, "text/csv"],
  [utf16(words, false, ""), undefined, "a.csv", "text/csv"],
  [utf16(words, true, ""), "text/plain", undefined, "text/plain"],
  [utf16("oi"), undefined, undefined, "text/plain"],
  ["0001;BANCO\r\n\x1a", "text/plain", "remessa.txt", "text/plain"],
  ["a;b\r\n\x1a\x1a\r\n", undefined, "a.csv", "text/csv"],
  [table, excel, "relatorio.xls", excel],
  [table, undefined, "relatorio.xls", excel],
  [`\xef\xbb\xbf${table}`, excel, undefined, excel],
  ["a\tb\r\n1\t2\r\n", excel, "relatorio.xls", excel],
  [utf16("a\tb\r\n1\t2\r\n"), excel, "relatorio.xls", excel],
  ['<?xml version="1.0"?><Workbook></Workbook>', excel, "relatorio.xls", excel],
  ["a;b\r\n", excel, "lista.csv", "text/csv"],
  [heads.xlsx, excel, "relatorio.xls", excel],
  [heads.ooxml, excel, "relatorio.xls", excel],
  ["{\\rtf1 Ol}", "application/msword", "carta.doc", "application/msword"],
  [table, "application/msword", "carta.doc", "application/msword"],
  [heads.docx, "application/msword", undefined, "application/msword"],
  [heads.ole, xlsx, "com senha.xlsx", xlsx],
  [heads.ole, undefined, "com senha.docx", docx],
];

for (const [place, [head, contentType, fileName, expected]] of honest.entries()) {
  Deno.test(`a document that does not lie is kept, sent and received: ${place + 1}, ${expected}`, () => {
    const declared = { contentType, fileName };
    for (
      const take of [
        () => receiveBytes(head, contentType, fileName),
        () => decideUploadType(toBytes(head), declared),
      ]
    ) assertEquals(decide(take), `document ${expected}`);
  });
}

Deno.test("a text that names a format is a text", () => {
  for (const text of ["A PDF begins with %PDF-1.7", "MZ & Co., Lda."]) {
    assertEquals(decide(() => receiveBytes(text, "text/plain")), "document text/plain");
    assertEquals(decide(() => receiveBytes(text)), "document text/plain");
  }
  const frame = "\xff\xfe\x90\x64" + "\x00\xd8\x11\x22".repeat(40);
  assertEquals(decide(() => receiveBytes(frame)), "document audio/mpeg");
});
