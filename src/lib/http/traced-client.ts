import { type Span, type Tracer, within } from '../telemetry/tracing.ts';
import type { HttpClient } from './client.ts';
import type { FetchRequest } from './fetch.ts';

/**
 * Adds a span around each request. It records the host only, because the path may contain a token. With `propagates`, the
 * request carries a `traceparent`.
 */
export function tracedClient(
  network: HttpClient,
  tracer: Tracer,
  { traceparent: parent }: Span,
  propagates: boolean,
): HttpClient {
  return {
    ...network,
    async fetch(url, request = {}, options) {
      const { method = 'GET' } = request;
      const attributes = { 'http.request.method': method, ...serverOf(url) };
      const span = tracer.start(method, { kind: 'client', parent, attributes });
      return within(span, async () => {
        const traced = propagates ? withTraceparent(request, span) : request;
        const answer = await network.fetch(url, traced, options);
        span.set({ 'http.response.status_code': answer.status });
        return answer;
      });
    },
  };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span */
function serverOf(url: string) {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {};
  const defaultPort = protocol === 'http:' ? 80 : 443;
  return { 'server.address': hostname, 'server.port': Number(port) || defaultPort };
}

function withTraceparent(request: FetchRequest, { traceparent }: Span): FetchRequest {
  return { ...request, headers: { ...request.headers, traceparent } };
}
