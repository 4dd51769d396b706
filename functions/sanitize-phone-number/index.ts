import { consoleLog } from "../../shared/runtime/log.ts";
import { createSanitizePhoneNumberApp } from "./app.ts";

const app = createSanitizePhoneNumberApp(consoleLog);

Deno.serve(app.fetch);
