import type { Sql } from "postgres";
import { waitUntil } from "../wait_until.ts";

/** Statements that write messages, as long as they are held. */
export interface HeldWrites extends AsyncDisposable {
  /** Waits for a held statement. */
  untilHeld(): Promise<void>;
  /** Waits for a held statement, and ends it: `pg_cancel_backend` or `pg_terminate_backend`. */
  end(by: "pg_cancel_backend" | "pg_terminate_backend"): Promise<void>;
  /** Lets all statements go on. */
  release(): Promise<void>;
}

/**
 * Holds every statement that writes messages, as a very slow machine would: it works, and waits for no
 * lock, whose time-out would end it.
 */
export async function holdWrites(admin: Sql): Promise<HeldWrites> {
  await admin.unsafe(`
    create table public.held_writes as select true as is_held;
    create function public.hold_write() returns trigger language plpgsql security definer as $$
    begin
      while exists (select from public.held_writes) loop
        perform pg_sleep(0.01);
      end loop;
      return new;
    end;
    $$;
    create trigger hold_write before insert or update on messaging.messages
    for each row execute function public.hold_write();`);
  const release = async (): Promise<void> => {
    await admin`delete from public.held_writes where true`;
  };
  return {
    untilHeld: async () => {
      await waitUntil(async () => {
        const held = await admin`
          select from pg_stat_activity
          where datname = current_database() and wait_event = 'PgSleep'`;
        return held.length > 0;
      }, { what: "a held statement" });
    },
    release,
    [Symbol.asyncDispose]: release,
    end: async (by) => {
      await waitUntil(async () => {
        const ended = await admin.unsafe(`
          select ${by}(pid) from pg_stat_activity
          where datname = current_database() and wait_event = 'PgSleep'`);
        return ended.length > 0;
      }, { what: "a held statement" });
    },
  };
}
