import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createEventWorld, inbound } from "../../support/fixtures/event_world.ts";

Deno.test("where the platform's Storage is, the bucket is made, and made private again", async () => {
  await using database = await createTestDatabase();
  const make = async () =>
    (await database.admin`select messaging.create_media_bucket() as made`)[0]?.["made"];
  assertEquals(await make(), false);
  await database.admin`create schema storage`;
  await database.admin`
    create table storage.buckets (
      id text primary key, name text not null unique, public boolean default false,
      file_size_limit bigint
    )`;
  const read = () => database.admin`select * from storage.buckets`;
  try {
    assertEquals(await make(), true);
    const bucket = {
      id: "messaging-media",
      name: "messaging-media",
      public: false,
      file_size_limit: String(100 * 2 ** 20),
    };
    assertEquals([...await read()], [bucket]);
    await database.admin`update storage.buckets set public = true`;
    await make();
    assertEquals([...await read()], [bucket]);
  } finally {
    await database.admin`drop schema storage cascade`;
  }
});

Deno.test("a file that is forgotten leaves no row, and its deletion is promised", async () => {
  await using world = await createEventWorld();
  const { admin } = world.database;
  await world.receive(inbound("in-1"));
  const [message] = await admin`
    select m.id, m.instance_id, m.contact_id from messaging.messages m`;
  const ids = ["stored", "pending"].map((status) => ({ id: crypto.randomUUID(), status }));
  for (const { id, status } of ids) {
    await admin`
      insert into messaging.media (
        id, instance_id, contact_id, origin, kind, status, storage_path, mime_type, size, sha256,
        stored_at
      )
      values (
        ${id}, ${message?.["instance_id"]}, ${
      message?.["contact_id"]
    }, 'channel', 'image', ${status},
        messaging.media_path(${message?.["instance_id"]}, ${id}), 'image/png', 1,
        ${"0".repeat(64)}, now()
      )`;
  }
  await admin`
    select messaging.forget_media(messaging.media_of_contact(${message?.["contact_id"]}))`;
  const promised = await admin`
    select o.payload->'paths'->>0 as path, o.run_at > now() + interval '4 minutes' as waits
    from messaging.outbox o where o.kind = 'media_delete' order by waits`;
  assertEquals(
    [...promised],
    ids.map(({ id, status }) => ({
      path: `${message?.["instance_id"]}/${id}`,
      waits: status === "pending",
    })),
  );
  const [left] = await admin`select count(*)::integer as rows from messaging.media`;
  assertEquals(left?.["rows"], 0);
});

Deno.test("a file past its time stays as expired, and its record says so", async () => {
  await using world = await createEventWorld();
  const { admin } = world.database;
  await world.receive(inbound("in-1"));
  const [media] = await admin`
    insert into messaging.media (
      instance_id, contact_id, origin, kind, status, storage_path, mime_type, size, sha256, stored_at,
      transcript
    )
    select m.instance_id, m.contact_id, 'channel', 'audio', 'stored', 'x', 'audio/ogg', 1,
      ${"0".repeat(64)}, now(), 'words'
    from messaging.messages m
    returning id`;
  await admin`update messaging.messages set media_id = ${media?.["id"]}`;
  const expire = async () =>
    (await admin`select messaging.expire_old_media(array[${media?.["id"]}]::uuid[]) as n`)[0]
      ?.["n"];
  assertEquals([await expire(), await expire()], [1, 0]);
  const [shown] = await admin`
    select messaging.describe_message(m) as record from messaging.messages m`;
  assertEquals(shown?.["record"].mediaStatus, "expired");
  const [row] = await admin`
    select d.storage_path, d.transcript,
      (select count(*)::integer from messaging.outbox o where o.kind = 'media_delete') as promised
    from messaging.media d`;
  assertEquals({ ...row }, { storage_path: null, transcript: null, promised: 1 });
});
