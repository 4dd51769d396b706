/**
 * Calls a host whose name led to a public address when it was checked, and leads elsewhere now. Prints what
 * came of it. Argument: the host and port.
 */

import { postEvent } from "../../../shared/events/post_event.ts";
import { fetchFile, fetchTimeouts } from "../../../shared/media/fetch_file.ts";
import { MediaFault } from "../../../shared/media/media_fault.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";

const [host = ""] = Deno.args;
const hosts = new HostResolution(() => Promise.resolve(["93.184.215.14"]));
const closed = { allowsPrivateHosts: false, hosts };
const fetched = await fetchFile(
  { url: `https://${host}/told-in-private`, headers: { authorization: "Bearer told-in-private" } },
  { ...closed, ...fetchTimeouts },
).then(() => "fetched", (error) => error instanceof MediaFault ? error.reason : `${error}`);
const { status, error } = await postEvent(
  { url: `https://${host}/told-in-private`, headers: {}, body: '"told-in-private"' },
  { ...closed, timeoutMs: 20_000 },
);
// deno-lint-ignore no-console -- its output is read by the test
console.log(JSON.stringify({ fetched, posted: [status, error] }));
