import { HostResolution } from "../../../shared/runtime/host_resolution.ts";
import { assertEquals } from "../../support/assert.ts";

function resolveTo(...addresses: string[]): HostResolution {
  return new HostResolution(() => Promise.resolve(addresses));
}

function failWith(code?: string): HostResolution {
  return new HostResolution(() => Promise.reject(Object.assign(new Error("x"), { code })));
}

Deno.test("a public name with any private address is private", async () => {
  const privateAddresses = [
    ...["127.0.0.1", "10.1.2.3", "172.16.0.9", "192.168.1.1", "169.254.169.254", "0.0.0.0"],
    ...["100.64.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::3", "ff02::1"],
    ...["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1", "64:ff9b::a00:1", "2002:a00:1::"],
    ...["::127.0.0.1", "not an address", ""],
  ];
  for (const address of privateAddresses) {
    assertEquals(await resolveTo(address).check("hooks.example.com"), "private", address);
    assertEquals(await resolveTo("8.8.8.8", address).check("hooks.example.com"), "private");
  }
});

Deno.test("a name whose addresses are all public is public", async () => {
  const hosts = resolveTo("8.8.8.8", "2606:4700:4700::1111");
  assertEquals(await hosts.check("hooks.example.com"), "public");
});

Deno.test("a private host is private without a look-up, a public address public", async () => {
  const hosts = failWith("ENOTFOUND");
  for (const host of ["localhost", "127.0.0.1", "[::1]", "db.internal", "intranet", "10.0.0.1"]) {
    assertEquals(await hosts.check(host), "private", host);
  }
  assertEquals(await hosts.check("8.8.8.8"), "public");
  assertEquals(await hosts.check("[2606:4700:4700::1111]"), "public");
});

Deno.test("a name that does not resolve is not called, a runtime without a resolver does not stop it", async () => {
  for (const code of ["ENOTFOUND", "EAI_AGAIN", "ESERVFAIL", "ETIMEOUT"]) {
    assertEquals(await failWith(code).check("hooks.example.com"), "unresolved", code);
  }
  assertEquals(await resolveTo().check("hooks.example.com"), "unresolved");
  assertEquals(await failWith("ERR_NOT_IMPLEMENTED").check("hooks.example.com"), "public");
  assertEquals(await failWith().check("hooks.example.com"), "public");
});

Deno.test("where there is a resolver, no failure of it is a permission, whatever its code", async () => {
  for (const code of [undefined, "ERR_NOT_IMPLEMENTED", "ERR_SOCKET", "NotCapable"]) {
    const hosts = new HostResolution((hostname) =>
      hostname === "localhost"
        ? Promise.resolve(["127.0.0.1"])
        : Promise.reject(Object.assign(new Error("x"), { code }))
    );
    assertEquals(await hosts.check("hooks.example.com"), "unresolved", code);
  }
});

Deno.test("whether there is a resolver is decided once, at the first use", async () => {
  let isThere = false;
  const hosts = new HostResolution(() =>
    isThere ? Promise.resolve(["10.0.0.1"]) : Promise.reject(new Error("x"))
  );
  assertEquals(await hosts.check("a.example.com"), "public");
  isThere = true;
  assertEquals(await hosts.check("b.example.com"), "public");
});

Deno.test("simultaneous checks of a host ask once, a later one asks again", async () => {
  let asked = 0;
  const hosts = new HostResolution((hostname) =>
    Promise.resolve(hostname === "localhost" || asked++ > 0 ? ["10.0.0.1"] : ["8.8.8.8"])
  );
  const verdicts = await Promise.all([hosts.check("a.example.com"), hosts.check("a.example.com")]);
  assertEquals([verdicts, asked], [["public", "public"], 1]);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  assertEquals(await hosts.check("a.example.com"), "private");
});
