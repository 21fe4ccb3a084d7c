import type { Overview, Statistics as Counted } from '../api.ts';
import type { CallOptions, CallInput, Transport } from '../transport.ts';

export type StatisticsFilter = NonNullable<CallInput<'GET /1/statistics'>['query']>;

/** Message statistics: of the team with a user token, of the application with an application token. */
export class Statistics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Counts of messages by outcome as a time series. Default: the last day. */
  get(filter: StatisticsFilter = {}, options?: CallOptions): Promise<Counted> {
    return this.#transport.call('GET /1/statistics', { query: filter }, options);
  }

  /** Waiting messages and current problems with their remedies; of one application if given. */
  overview(
    applicationId?: number,
    { mode, ...options }: CallOptions & Pick<StatisticsFilter, 'mode'> = {},
  ): Promise<Overview> {
    const query = {
      ...(applicationId !== undefined && { application_id: applicationId }),
      ...(mode !== undefined && { mode }),
    };
    return this.#transport.call('GET /1/overview', { query }, options);
  }
}
