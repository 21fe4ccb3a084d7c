import { type GraphRoutes, TOKEN, answerGraph } from '../../../src/sandbox/vendors/meta/graph.ts';
import { type HttpPeer, openHttp } from '../server/http.ts';

/* The common parts of Meta's Graph API. */

export { TOKEN, graphError, invalid, usage } from '../../../src/sandbox/vendors/meta/graph.ts';
export type { GraphFault } from '../../../src/sandbox/vendors/meta/graph.ts';

/** Handlers for authenticated requests. A key is a method and a path without its query. */
export async function openGraph(
  routes: GraphRoutes,
  tokens: readonly string[] = [TOKEN],
): Promise<HttpPeer> {
  return openHttp((request) => answerGraph(request, routes, tokens));
}
