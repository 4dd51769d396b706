import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createSanitizePhoneNumberApp } from "./app.ts";

placeDocs(Deno.env.toObject());
const app = createSanitizePhoneNumberApp(consoleLog);

Deno.serve(app.fetch);
