import { type Span, type Tracer, within } from '../telemetry/tracing.ts';
import type { HttpClient } from './client.ts';
import type { FetchRequest } from './fetch.ts';

/**
 * Adds a span around each request. It records the host only, because the path may contain a token. With `isTold`, the
 * request carries a `traceparent`.
 */
export function tracedClient(
  network: HttpClient,
  tracer: Tracer,
  { traceparent: parent }: Span,
  isTold: boolean,
): HttpClient {
  return {
    ...network,
    async fetch(url, request = {}, options) {
      const { method = 'GET' } = request;
      const attributes = { 'http.request.method': method, ...serverOf(url) };
      const span = tracer.start(method, { kind: 'client', parent, attributes });
      return within(span, async () => {
        const told = isTold ? telling(request, span) : request;
        const answer = await network.fetch(url, told, options);
        span.set({ 'http.response.status_code': answer.status });
        return answer;
      });
    },
  };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span */
function serverOf(url: string) {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {};
  const usual = protocol === 'http:' ? 80 : 443;
  return { 'server.address': hostname, 'server.port': Number(port) || usual };
}

function telling(request: FetchRequest, { traceparent }: Span): FetchRequest {
  return { ...request, headers: { ...request.headers, traceparent } };
}
