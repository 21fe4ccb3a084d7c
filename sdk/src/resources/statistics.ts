import type { Overview, Statistics as Counted } from '../api.ts';
import type { CallOptions, Given, Transport } from '../transport.ts';

/** Which messages are counted, and when. */
export type StatisticsFilter = NonNullable<Given<'GET /1/statistics'>['query']>;

/** What happened to messages: of the team with a token of a user, of the application with one of an application. */
export class Statistics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What was accepted, sent, delivered and so on, step by step; of the last day unless told otherwise. */
  get(filter: StatisticsFilter = {}, options?: CallOptions): Promise<Counted> {
    return this.#transport.call('GET /1/statistics', { query: filter }, options);
  }

  /** What waits just now, and what is wrong and what to do about it; of one application where that is named. */
  overview(applicationId?: number, options?: CallOptions): Promise<Overview> {
    const query = { ...(applicationId !== undefined && { application_id: applicationId }) };
    return this.#transport.call('GET /1/overview', { query }, options);
  }
}
