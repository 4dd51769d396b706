import { DatabaseHostsError, readDatabaseHosts } from "../../../shared/runtime/database_hosts.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

Deno.test("a list of hosts is one address a host, without what only several hosts need", () => {
  assertEquals(
    readDatabaseHosts(
      "postgres://u:p@a:1,b,[::1]:3/db?sslmode=require&target_session_attrs=primary",
    ),
    [
      "postgres://u:p@a:1/db?sslmode=require",
      "postgres://u:p@b/db?sslmode=require",
      "postgres://u:p@[::1]:3/db?sslmode=require",
    ],
  );
  assertEquals(readDatabaseHosts("postgresql://a/db?target_session_attrs=read-write"), [
    "postgresql://a/db",
  ]);
});

Deno.test("an address of one host stays as it is", () => {
  for (
    const url of ["postgres://u:p%40@h:5432/db?a=b", "postgres://h", "postgres:///db?host=/run"]
  ) assertEquals(readDatabaseHosts(url), [url]);
});

Deno.test("an empty host of a list, and sessions that only read, are refused without the address", () => {
  for (
    const url of [
      "postgres://u:secret@a,/db",
      "postgres://u:secret@a,:5432/db",
      "postgres://u:secret@a,b/db?target_session_attrs=standby",
      "postgres://u:secret@a/db?target_session_attrs=any",
    ]
  ) {
    const error = assertThrows(() => readDatabaseHosts(url), DatabaseHostsError);
    assertEquals(error.message.includes("secret"), false);
  }
});
