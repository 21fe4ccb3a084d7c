# syntax=docker/dockerfile:1

# The base is named by its tag, since a digest would be out of date with the next fix of Debian. To pin it where you
# build: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

# The console takes much to build and nothing to run.
FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY sdk/package.json sdk/
RUN npm ci --workspace console --ignore-scripts
COPY tsconfig.json ./
COPY bin/build-console.js bin/node.js bin/
COPY src/ src/
COPY console/ console/
RUN npm run build:console

FROM ${NODE_IMAGE} AS service
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY sdk/package.json sdk/
# Optional is only the Node that the package brings along where there is none.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
COPY LICENSE CHANGELOG.md ./
COPY bin/ bin/
COPY docs/ docs/
COPY examples/ examples/
COPY sdk/README.md sdk/
COPY sdk/src/ sdk/src/
COPY src/ src/
COPY webchat/ webchat/
COPY --from=console /app/console/dist/ console/dist/

# By number, so that an orchestrator can tell that it is not root.
RUN mkdir -p /data node_modules/.cache && chown 10001:10001 /data node_modules/.cache
ENV NODE_ENV=production
ENV SWITCHBOARD_HOST=0.0.0.0
ENV SWITCHBOARD_PORT=8080
ENV SWITCHBOARD_DATABASE=/data/switchboard.db
USER 10001:10001
# A first start, on a store that is thrown away: it shows that the image works, and leaves compiled code behind, which a
# container with a read-only file system could not keep.
RUN export SWITCHBOARD_DATABASE=/tmp/first/switchboard.db SWITCHBOARD_HOST=127.0.0.1 SWITCHBOARD_PORT=0 \
  && (node bin/switchboard.js serve > /tmp/first.log 2>&1 & echo $! > /tmp/first.pid) \
  && until grep -q listening /tmp/first.log; do kill -0 "$(cat /tmp/first.pid)" || exit 1; sleep 0.1; done \
  && kill "$(cat /tmp/first.pid)" \
  && until grep -q '"stopped"' /tmp/first.log; do kill -0 "$(cat /tmp/first.pid)" || exit 1; sleep 0.1; done \
  && rm -r /tmp/first /tmp/first.log /tmp/first.pid

VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.SWITCHBOARD_PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/switchboard.js"]
CMD ["serve"]
