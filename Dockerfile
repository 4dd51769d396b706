# The service on one machine: docs/one-machine.md. Runs without root, and on a read-only file system.
FROM node:22-bookworm-slim

RUN npm install --global --no-fund --no-update-notifier deno@2.9.6

WORKDIR /app
ENV DENO_DIR=/app/.deno NO_COLOR=1 HOST=0.0.0.0 PORT=8080 MEDIA_FOLDER=/media

COPY deno.json import_map.json ./
COPY functions ./functions
COPY migrations ./migrations
COPY shared ./shared
COPY supabase ./supabase

RUN deno cache --quiet --lock=supabase/serve/deno.lock --frozen supabase/serve/run_serve.ts shared/database/direct_database.ts functions/*/index.ts
RUN mkdir /media && chown node:node /media

USER node
EXPOSE 8080
VOLUME /media
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["deno", "run", "--quiet", "-A", "--unstable-no-legacy-abort", "--lock=supabase/serve/deno.lock", "--frozen", "supabase/serve/serve.ts"]
