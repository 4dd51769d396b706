import { isIpv4, isPublicHost } from "../../../shared/model/public_host.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("every non-public IPv4 block is refused from its first to its last address", () => {
  const blocks: readonly [first: string, last: string][] = [
    ["0.0.0.0", "0.255.255.255"],
    ["10.0.0.0", "10.255.255.255"],
    ["100.64.0.0", "100.127.255.255"],
    ["127.0.0.0", "127.255.255.255"],
    ["169.254.0.0", "169.254.255.255"],
    ["172.16.0.0", "172.31.255.255"],
    ["192.0.0.0", "192.0.0.255"],
    ["192.0.2.0", "192.0.2.255"],
    ["192.88.99.0", "192.88.99.255"],
    ["192.168.0.0", "192.168.255.255"],
    ["198.18.0.0", "198.19.255.255"],
    ["198.51.100.0", "198.51.100.255"],
    ["203.0.113.0", "203.0.113.255"],
    ["224.0.0.0", "239.255.255.255"],
    ["240.0.0.0", "255.255.255.255"],
  ];
  for (const address of blocks.flat()) assertEquals(isPublicHost(address), false, address);
});

Deno.test("the addresses on both sides of every non-public IPv4 block are public", () => {
  const neighbours = [
    ...["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"],
    ...["126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0"],
    ...["172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.1.255"],
    ...["192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0"],
    ...["198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0"],
    ...["203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8"],
  ];
  for (const address of neighbours) assertEquals(isPublicHost(address), true, address);
});

Deno.test("IPv6 is public inside global unicast only, wrappers of IPv4 and documentation apart", () => {
  const refused = [
    ...["[::]", "[::1]", "[::7f00:1]", "[::808:808]", "[::ffff:a00:1]", "[::ffff:808:808]"],
    ...["[64:ff9b::a00:1]", "[64:ff9b::808:808]", "[64:ff9b:1::a00:1]", "[100::1]", "[1fff::1]"],
    ...["[2001::a00:1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:2::1]", "[2001:1ff::1]"],
    ...[
      "[2001:20::1]",
      "[2001:db8::1]",
      "[2001:db8:ffff::1]",
      "[2002:a00:1::1]",
      "[2002:808:808::]",
    ],
    ...["[3fff::1]", "[3fff:fff::1]", "[4000::1]", "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]"],
    ...["[fe80::1]", "[fec0::1]", "[ff02::1]", "[ffff::1]"],
  ];
  for (const host of refused) assertEquals(isPublicHost(host), false, host);
  const accepted = [
    ...["[2000::1]", "[2001:200::1]", "[2001:4860:4860::8888]", "[2001:db7::1]", "[2001:db9::1]"],
    ...["[2003::1]", "[2606:4700:4700::1111]", "[2a00:1450:4001:82a::200e]", "[3ffe::1]"],
    ...["[3fff:1000::1]", "[2600:1:2:3:4:5:6:7]"],
  ];
  for (const host of accepted) assertEquals(isPublicHost(host), true, host);
});

Deno.test("names that cannot stand in the public DNS are refused", () => {
  const suffixes = ["localhost", "localdomain", "local", "internal", "intranet", "private", "corp"];
  for (const suffix of [...suffixes, "home", "lan", "home.arpa"]) {
    for (const host of [suffix, `media.${suffix}`, `a.b.${suffix}`, `media.${suffix}.`]) {
      assertEquals(isPublicHost(host), false, host);
    }
  }
  const label = "a".repeat(64);
  const malformed = ["", ".", "media", "media.", "a..com", ".a.com", "a.com..", "-a.com", "a-.com"];
  for (
    const host of [...malformed, "a.-com", `${label}.com`, "a.b*c.com", "a.".repeat(127) + "com"]
  ) {
    assertEquals(isPublicHost(host), false, host);
  }
});

Deno.test("names of two labels or more are public", () => {
  const accepted = [
    ...["example.com", "example.com.", "cdn.example.com", "a-b.example.com", "a_b.example.com"],
    ...[
      "xn--mnchen-3ya.de",
      "local.example.com",
      "mylocal.com",
      "notlocalhost.com",
      "10.0.0.1.com",
    ],
    ...["home.com", "lan.net", "internal-files.com", "arpa.com", `${"a".repeat(63)}.com`],
  ];
  for (const host of accepted) assertEquals(isPublicHost(host), true, host);
});

Deno.test("isIpv4 tells addresses from names", () => {
  assertEquals(isIpv4("8.8.8.8"), true);
  for (const host of ["8.8.8.8.com", "8.8.8", "[::1]", "example.com"]) {
    assertEquals(isIpv4(host), false, host);
  }
});
