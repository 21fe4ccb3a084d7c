import type { AddressInfo } from 'node:net';

import type { ChatSockets } from '../chat/sockets.ts';
import type { Sockets } from '../events/sockets.ts';
import type { Readiness } from '../http/metrics/readiness.ts';
import { openApiDocument } from '../http/openapi/document.ts';
import { ConsoleFiles } from '../http/pages/console-files.ts';
import { DocsFiles } from '../http/pages/docs-files.ts';
import { publicRoutes } from '../http/routes/index.ts';
import { operationRoutes } from '../http/routes/operation.ts';
import type { Route } from '../http/server/route.ts';
import { createServer } from '../http/server/server.ts';
import type { Services } from '../http/services.ts';
import { listenUrl } from '../lib/net/listen-url.ts';
import { refuse } from '../lib/net/web-socket-server.ts';
import { Limiter } from '../lib/runtime/limiter.ts';
import { VERSION } from '../lib/runtime/version.ts';
import type { Core } from './core.ts';

interface HttpServer {
  routes: readonly Route[];
  listen(): Promise<void>;
  /** Waits for open requests; after `maxMs`, closes their connections. */
  close(maxMs: number): Promise<void>;
}

export function buildServer(
  { config, log, metrics, tracer, address }: Core,
  services: Services,
  readiness: Readiness,
  sockets: { feed: Sockets; chat: ChatSockets },
): HttpServer {
  const { role, rateLimit, trustProxy, publicUrl, corsOrigins } = config;
  const console = new ConsoleFiles(config.consoleDir);
  const docs = new DocsFiles(config.docsDir);
  let openApi: Record<string, unknown> | undefined;
  const document = () => (openApi ??= openApiDocument(routes, VERSION, address.baseUrl));
  const routes: Route[] = [
    ...(role === 'deliver' ? [] : publicRoutes({ services, console, docs, document })),
    ...operationRoutes({
      metrics,
      scraping: { token: config.metricsToken, networks: config.metricsNetworks },
      ready: () => readiness.check(),
    }),
  ];
  const app = createServer({
    services,
    routes,
    log,
    metrics,
    tracer,
    publicUrl,
    trustProxy,
    corsOrigins,
    limiter: rateLimit > 0 ? new Limiter(rateLimit, rateLimit * 2) : undefined,
    requestTimeout: config.requestTimeout * 1000,
  });
  app.server.on('upgrade', (request, socket, head) => {
    // The HTTP server no longer listens to this socket, and an error without a listener ends the process.
    socket.on('error', () => socket.destroy());
    if (role === 'deliver') return refuse(socket, '404 Not Found');
    if (sockets.feed.upgrade(request, socket, head)) return;
    if (!sockets.chat.upgrade(request, socket, head)) refuse(socket, '404 Not Found');
  });
  return {
    routes,
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      const { address: host, port } = app.server.address() as AddressInfo;
      address.setListening(port, listenUrl(host, port));
    },
    async close(maxMs) {
      const timeout = setTimeout(() => app.server.closeAllConnections(), maxMs);
      await app.close();
      clearTimeout(timeout);
    },
  };
}
