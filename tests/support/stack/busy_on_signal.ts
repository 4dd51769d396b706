/** Keeps the process's thread busy for ever from SIGUSR2 on. It is loaded before a program's own modules. */
Deno.addSignalListener("SIGUSR2", () => {
  for (;;) { /* Nothing gives way. */ }
});
