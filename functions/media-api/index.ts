import { connectDatabase } from "../../shared/database/connect_database.ts";
import { fetchFile, fetchTimeouts } from "../../shared/media/fetch_file.ts";
import { createMediaLinks } from "../../shared/media/links.ts";
import { openMediaStorage } from "../../shared/media/open_storage.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { HostResolution } from "../../shared/runtime/host_resolution.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createMediaApiApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const config = parseConfig(Deno.env.toObject());
const { allowsPrivateHosts } = config;
const rules = { ...fetchTimeouts, allowsPrivateHosts, hosts: new HostResolution() };
const app = createMediaApiApp({
  database: await connectDatabase(config.database, config.credentialsKeys),
  storage: openMediaStorage(config.media),
  links: createMediaLinks(config),
  fetchUpload: (url) => fetchFile({ url }, rules),
  allowsPrivateHosts,
  log: consoleLog,
});

Deno.serve(app.fetch);
