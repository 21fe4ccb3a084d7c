import type { Application, ApplicationChange, Delivery, NewApplication } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Applications of the team. Takes a token of a user, but for `me`. */
export class Applications {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The application that the client speaks for. Takes a token of an application. */
  me(options?: CallOptions): Promise<Application> {
    return this.#transport.call('GET /1/applications/me', {}, options);
  }

  /** The applications of the team, the newest first. */
  list(query: PageOptions = {}, options?: CallOptions): List<Application> {
    return listOf(this.#transport, 'GET /1/applications', { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<Application> {
    return this.#transport.call('GET /1/applications/{id}', { path: { id } }, options);
  }

  /** Makes an application. Team and owner are your own, as `users.me()` says them; a name is made up. */
  create(fields: NewApplication, options?: CallOptions): Promise<Application> {
    return this.#transport.call('POST /1/applications', { body: fields }, options);
  }

  /** Changes what is given; `webhook_url: null` clears it. */
  update(id: number, fields: ApplicationChange, options?: CallOptions): Promise<void> {
    const given = { path: { id }, body: fields };
    return this.#transport.act('PUT /1/applications/{id}', given, options);
  }

  /** Deletes it for good, with its keys, integrations and messages. */
  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/applications/{id}', { path: { id } }, options);
  }

  /** Has it send nothing until it is enabled again; what is queued waits. */
  disable(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/applications/{id}/disable', { path: { id } }, options);
  }

  enable(id: number, options?: CallOptions): Promise<void> {
    return this.update(id, { state: 'enable' }, options);
  }

  /** What is done when nobody knows whether a message was sent. */
  delivery(id: number, options?: CallOptions): Promise<Delivery> {
    return this.#transport.call('GET /1/applications/{id}/delivery', { path: { id } }, options);
  }

  /** Says what is to be done when nobody knows whether a message was sent. */
  setDelivery(id: number, delivery: Delivery, options?: CallOptions): Promise<void> {
    const given = { path: { id }, body: delivery };
    return this.#transport.act('PUT /1/applications/{id}/delivery', given, options);
  }
}
