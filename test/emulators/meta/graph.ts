/* The common parts of Meta's Graph API. */

export { TOKEN, graphError, invalid, usage } from '../../../src/sandbox/vendors/meta/graph.ts';
export type { GraphFault } from '../../../src/sandbox/vendors/meta/graph.ts';
