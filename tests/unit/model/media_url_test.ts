import fc from "fast-check";
import { checkMediaUrl, mediaExtensionOf } from "../../../shared/model/media_url.ts";
import type { MediaMessageType } from "../../../shared/model/message_content.ts";
import { assertEquals, assertMatch } from "../../support/assert.ts";

const notPublic = /public host name/;
const notHttps = /complete https/;
const credentials = /user name or password/;
const badCharacter = /white space/;

function assertRefused(
  url: string,
  expected: RegExp,
  messageType: MediaMessageType = "document",
): void {
  assertMatch(checkMediaUrl(url, messageType)?.message ?? "", expected, url);
}

function assertAccepted(url: string, messageType: MediaMessageType = "document"): void {
  assertEquals(checkMediaUrl(url, messageType), null, url);
}

Deno.test("public https URLs are accepted", () => {
  for (
    const url of [
      "https://example.com/photo.jpg",
      "HTTPS://Example.COM/photo.jpg",
      "https://example.com:8443/photo.jpg",
      "https://example.com./photo.jpg",
      "https://example.com",
      "https://example.com/photo.jpg?token=a%20b&x=1#page",
      "https://example.com/@user/photo.jpg?mail=a@b.com",
      "https://example.com/100%25/photo.jpg",
      "https://münchen.de/straße.pdf",
      "https://xn--mnchen-3ya.de/photo.jpg",
      "https://bucket_name.s3.amazonaws.com/photo.jpg",
      "https://8.8.8.8/photo.jpg",
      "https://8.8.8.8:443/photo.jpg",
      "https://[2606:4700:4700::1111]/photo.jpg",
      "https://[2606:4700:4700::1111]:8443/photo.jpg",
    ]
  ) assertAccepted(url);
});

Deno.test("anything but a complete https URL is refused", () => {
  for (
    const url of [
      "",
      "photo.jpg",
      "/photo.jpg",
      "//example.com/photo.jpg",
      "http://example.com/photo.jpg",
      "ftp://example.com/photo.jpg",
      "file:///etc/photo.jpg",
      "data:image/png;base64,AAAA",
      "javascript:alert(1)//.jpg",
      "blob:https://example.com/photo.jpg",
      "https:example.com/photo.jpg",
      "https:/example.com/photo.jpg",
      "https:///example.com/photo.jpg",
      "https://",
      "https://?x=.jpg",
      "https://#.jpg",
      "https://[::1/photo.jpg",
      "https://[fe80::1%25eth0]/photo.jpg",
      "https://[fe80::1%eth0]/photo.jpg",
      "https://256.1.1.1/photo.jpg",
      "https://1.2.3.4.5/photo.jpg",
      "https://example.1/photo.jpg",
      "https://example.com:99999/photo.jpg",
      "https://a<b.com/photo.jpg",
    ]
  ) assertRefused(url, notHttps);
});

Deno.test("a private IPv4 address is refused in every spelling", () => {
  for (
    const host of [
      ...["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"],
      ...["0.0.0.0", "255.255.255.255", "224.0.0.1", "198.18.0.1", "192.0.2.1"],
      ...["127.1", "127.0.1", "10.1", "192.168.257", "0"],
      ...["2130706433", "3232235777", "2852039166", "0x7f000001", "0X7F000001", "017700000001"],
      ...["0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "0177.1", "0x0a.0.0.1", "012.0.0.1", "127.0.0.0x1"],
      ...["00000177.0.0.1", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376"],
      ...["127.0.0.1.", "127.1.", "2130706433.", "0x7f000001.", "127.0.0.1..", "127.0.0.1:8080"],
      ...["%31%32%37.0.0.1", "127%2e0.0.1", "%6cocalhost", "１２７.０.０.１", "①②⑦.⓪.⓪.①"],
      ...["127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "127\u00ad.0.0.1"],
    ]
  ) assertRefused(`https://${host}/photo.jpg`, notPublic);
});

Deno.test("a public IPv4 address is refused in a spelling that parsers read differently", () => {
  for (const host of ["010.8.8.8", "134744072", "0x08080808", "8.8.2056", "8.8.8.8.", "８.8.8.8"]) {
    assertRefused(`https://${host}/photo.jpg`, notPublic);
  }
});

Deno.test("a percent-encoded host is refused even when it is public", () => {
  for (const host of ["exam%70le.com", "example%2ecom", "%38.8.8.8", "m%C3%BCnchen.de"]) {
    assertRefused(`https://${host}/photo.jpg`, notPublic);
  }
});

Deno.test("an IPv6 address that is not global, or wraps an IPv4 one, is refused", () => {
  for (
    const host of [
      ...["::", "::1", "0:0:0:0:0:0:0:1", "fe80::1", "fc00::1", "fd12:3456:789a::1", "ff02::1"],
      ...["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:10.0.0.1", "::FFFF:169.254.169.254"],
      ...["::127.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1"],
      ...["2002:7f00:1::", "2002:a00:1::1", "2001::f5ff:fffe", "2001:db8::1", "3fff::1", "fec0::1"],
    ]
  ) {
    assertRefused(`https://[${host}]/photo.jpg`, notPublic);
    assertRefused(`https://[${host}]:8443/photo.jpg`, notPublic);
  }
});

Deno.test("a host name of a private network is refused in every spelling", () => {
  for (
    const host of [
      ...[
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "localhost.localdomain",
        "intranet",
      ],
      ...["printer.local", "printer.local.", "PRINTER.LOCAL", "db.internal", "router.home.arpa"],
      ...["nas.lan", "metadata.google.internal", "server", "server.", "localhost:8443"],
      ...["loc\u00adalhost", "ⓛocalhost", "printer。local", "printer%2elocal", "a..example.com"],
      ...["example.com..", ".example.com", "-a.example.com"],
    ]
  ) assertRefused(`https://${host}/photo.jpg`, notPublic);
});

Deno.test("credentials in the URL are refused", () => {
  for (
    const authority of [
      ...["user:secret@example.com", "user@example.com", "@example.com", ":@example.com"],
      ...["example.com@127.0.0.1", "example.com:443@example.org", "a@b@example.com"],
    ]
  ) assertRefused(`https://${authority}/photo.jpg`, credentials);
});

Deno.test("white space, control characters and backslashes are refused anywhere", () => {
  const characters = [" ", "\t", "\n", "\r", "\0", "\x1b", "\x7f", "\x85", "\u00a0", "\u2028"];
  for (const character of [...characters, "\u3000", "\ufeff", "\ud800", "\\"]) {
    for (
      const url of [
        `${character}https://example.com/photo.jpg`,
        `https://example.com/photo.jpg${character}`,
        `https://example.com/pho${character}to.jpg`,
        `https://exam${character}ple.com/photo.jpg`,
        `ht${character}tps://example.com/photo.jpg`,
        `https:/${character}example.com/photo.jpg`,
      ]
    ) assertRefused(url, badCharacter);
  }
});

Deno.test("a URL has at most 2,048 characters", () => {
  const start = "https://example.com/photo.jpg?";
  assertAccepted(start + "a".repeat(2048 - start.length));
  assertRefused(start + "a".repeat(2049 - start.length), /2048 characters/);
});

Deno.test("an extension must be one that the message type takes", () => {
  const taken: Readonly<Record<MediaMessageType, readonly string[]>> = {
    image: ["jpg", "jpeg", "png"],
    video: ["mp4"],
    audio: ["mp3", "wav"],
    document: ["jpg", "jpeg", "png", "mp3", "wav", "mp4", "pdf"],
    sticker: ["webp"],
    voice: ["ogg", "opus", "oga"],
  };
  const others = [
    "gif",
    "webp",
    "svg",
    "ogg",
    "opus",
    "oga",
    "m4a",
    "mov",
    "docx",
    "zip",
    "exe",
    "html",
  ];
  for (const messageType of ["image", "video", "audio", "document", "sticker", "voice"] as const) {
    for (const extension of [...taken.document, ...others]) {
      for (const spelling of [extension, extension.toUpperCase()]) {
        const url = `https://example.com/folder/file.${spelling}?x=1`;
        if (taken[messageType].includes(extension)) assertAccepted(url, messageType);
        else {assertRefused(
            url,
            new RegExp(`file type .* is not allowed for ${messageType}`),
            messageType,
          );}
      }
    }
    assertAccepted("https://example.com/download/42", messageType);
    assertAccepted("https://example.com/v1.2/file?name=a.exe", messageType);
  }
});

Deno.test("a refusal never repeats the URL", () => {
  const anyUrl = fc.webUrl({ withQueryParameters: true, withFragments: true });
  fc.assert(fc.property(anyUrl, fc.constantFrom("http:", "https:"), (url, scheme) => {
    const secret = "qZ7secret";
    const given = url.replace(/^https?:/, scheme) + `/${secret}.exe`;
    assertEquals(checkMediaUrl(given, "image")?.message.includes(secret) ?? false, false);
  }));
});

Deno.test("no text makes the check throw, and none but https is accepted", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "binary" }).map((text) => `https://${text}`),
    fc.string().map((text) => `https://example.com/${text}`),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      if (checkMediaUrl(text, "document") !== null) return;
      const { protocol, username, password, hostname } = new URL(text);
      assertEquals({ protocol, username, password }, {
        protocol: "https:",
        username: "",
        password: "",
      });
      assertMatch(hostname, /[.:]/);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("an IPv4 address as one number or inside an IPv6 one is refused wherever it points", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
      const dotted = [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
      const hex = `0x${value.toString(16)}`;
      assertRefused(`https://${value}/photo.jpg`, notPublic);
      assertRefused(`https://${hex}/photo.jpg`, notPublic);
      assertRefused(`https://[::ffff:${dotted}]/photo.jpg`, notPublic);
    }),
  );
});

Deno.test("mediaExtensionOf reads the last path segment alone", () => {
  const cases: readonly [path: string, extension: string | null][] = [
    ["/file.jpg", "jpg"],
    ["/file.JPG", "jpg"],
    ["/file.jpg?x=1", "jpg"],
    ["/file.jpg#a.exe", "jpg"],
    ["/file?name=a.jpg", null],
    ["/file.jpg;version=2", "jpg"],
    ["/file.exe;x=.jpg", "exe"],
    ["/archive.tar.gz", "gz"],
    ["/a.b/c", null],
    ["/v1.2/file", null],
    ["/v1.2/file.png", "png"],
    ["/reports/v1.2", null],
    ["/file.2024", null],
    ["/file.mp3", "mp3"],
    ["/file.7z", "7z"],
    ["/file.", null],
    ["/.jpg", null],
    ["/..jpg", null],
    ["/.hidden.jpg", "jpg"],
    ["/file.jpg/", null],
    ["/", null],
    ["", null],
    ["/file%2Ejpg", "jpg"],
    ["/o/images%2Fphoto.jpg", "jpg"],
    ["/o/v1.2%2Fphoto", null],
    ["/%E0%A4%A.jpg", "jpg"],
    ["/foto%20de%20fam%C3%ADlia.png", "png"],
    ["/família.png", "png"],
    ["/file.d41d8cd98f00b204e9800998ecf8427e", null],
    ["/file.jpg:large", null],
    ["/file.jpg~", null],
    ["/exemplo.ção", null],
  ];
  for (const [path, extension] of cases) {
    assertEquals(mediaExtensionOf(`https://example.com${path}`), extension, path);
  }
  assertEquals(mediaExtensionOf("not a URL.jpg"), null);
});

Deno.test("a refused file type is told the way in which it can be sent, where there is one", () => {
  const url = (extension: string): string => `https://example.com/file.${extension}`;
  const told = (extension: string, type?: MediaMessageType): string =>
    checkMediaUrl(url(extension), type)?.message ?? "";
  for (const type of ["document", undefined] as const) {
    assertMatch(told("docx", type), /media-api\/media.* mediaId\.$/);
  }
  assertMatch(told("ogg", "audio"), /mediaId/);
  assertMatch(told("webp", "image"), /messageType sticker\.$/);
  assertEquals(/mediaId|sticker/.test(told("gif", "image")), false);
});
