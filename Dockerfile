# The base is named by its tag, since a digest would be out of date with the next fix of Debian. To pin it where you
# build: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

# Building the console and the documentation needs every package, since both include modules of the service; serving them
# needs none of the build tools.
FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY sdk/package.json sdk/
COPY site/package.json site/
RUN npm ci --ignore-scripts
COPY tsconfig.json ARCHITECTURE.md CHANGELOG.md ./
COPY bin/build-console.js bin/build-docs.js bin/node.js bin/
COPY src/ src/
COPY clients/python/README.md clients/python/
COPY console/ console/
COPY docs/ docs/
COPY bench/measured.json bench/
COPY examples/ examples/
COPY sdk/README.md sdk/openapi.json sdk/
COPY site/ site/
RUN npm run build:console && npm run build:docs

FROM ${NODE_IMAGE} AS service
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY sdk/package.json sdk/
COPY site/package.json site/
# The optional dependencies are the bundled Node.js, which the image has already.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
COPY LICENSE ./
COPY bin/ bin/
COPY sdk/src/ sdk/src/
COPY src/ src/
COPY webchat/ webchat/
COPY --from=pages /app/console/dist/ console/dist/
COPY --from=pages /app/site/dist/ site/dist/

# By number, so that an orchestrator can tell that it is not root.
RUN ln -s /app/bin/switchboard.js /usr/local/bin/switchboard \
  && mkdir -p /data node_modules/.cache \
  && chown 10001:10001 /data node_modules/.cache
ENV NODE_ENV=production
ENV SWITCHBOARD_HOST=0.0.0.0
ENV SWITCHBOARD_PORT=8080
ENV SWITCHBOARD_DATABASE=/data/switchboard.db
USER 10001:10001
# A first start, on a store that is thrown away: it shows that the image works, and leaves compiled code behind, which a
# container with a read-only file system could not keep. Node.js writes that code when the process ends, hence `wait`.
RUN export SWITCHBOARD_DATABASE=/tmp/first/switchboard.db SWITCHBOARD_HOST=127.0.0.1 SWITCHBOARD_PORT=0 \
  && { switchboard serve > /tmp/first.log 2>&1 & } \
  && until grep -q '"listening"' /tmp/first.log; do kill -0 "$!" || { cat /tmp/first.log; exit 1; }; sleep 0.1; done \
  && kill "$!" && wait "$!" \
  && rm -r /tmp/first /tmp/first.log

VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.SWITCHBOARD_PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["switchboard"]
CMD ["serve"]
