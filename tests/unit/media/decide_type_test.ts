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

Deno.test("a received file must be what the provider's event says", () => {
  assertEquals(receive("image", "jpeg", "image/jpeg"), "image image/jpeg");
  assertEquals(receive("image", "webp", "image/webp"), "image image/webp");
  assertEquals(receive("audio", "ogg", "audio/ogg; codecs=opus"), "audio audio/ogg");
  assertEquals(receive("audio", "mp4", "audio/mp4"), "audio audio/mp4");
  assertEquals(receive("audio", "mp4"), "audio audio/mp4");
  assertEquals(receive("image", "html", "image/jpeg"), "type_mismatch");
  assertEquals(receive("image", "pdf", "image/jpeg"), "type_mismatch");
  assertEquals(receive("image", "pdf"), "type_not_allowed");
  assertEquals(receive("audio", "executable", "audio/mpeg"), "type_mismatch");
  assertEquals(receive("video", "jpeg"), "type_not_allowed");
});

Deno.test("a received document may be of any type that does not lie", () => {
  assertEquals(receive("document", "pdf", "application/pdf"), "document application/pdf");
  assertEquals(receive("document", "jpeg", "image/jpeg"), "document image/jpeg");
  assertEquals(receive("document", "zip", "application/zip"), "document application/zip");
  assertEquals(receive("document", "html", "text/html"), "document text/html");
  assertEquals(receive("document", "text", "application/json"), "document application/json");
  assertEquals(receive("document", "executable"), "document application/octet-stream");
  assertEquals(receive("document", "executable", "image/vnd.dwg"), "document image/vnd.dwg");
  assertEquals(receive("document", "executable", "application/pdf"), "type_mismatch");
  assertEquals(receive("document", "html", "application/pdf"), "type_mismatch");
});
