import type {
  Application,
  ApplicationChange,
  Delivery,
  NewApplication,
  Policies,
  PoliciesChange,
} from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Applications of the team. Needs a user token, except for `me`. */
export class Applications {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The application of the token. Needs an application token. */
  me(options?: CallOptions): Promise<Application> {
    return this.#transport.call('GET /1/applications/me', {}, options);
  }

  /** The applications of the team, newest first; with `search`, those whose name contains it. */
  list(query: PageOptions & { search?: string } = {}, options?: CallOptions): List<Application> {
    return listOf(this.#transport, 'GET /1/applications', { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<Application> {
    return this.#transport.call('GET /1/applications/{id}', { path: { id } }, options);
  }

  /** Creates an application. Team and owner are your own, as returned by `users.me()`. */
  create(fields: NewApplication, options?: CallOptions): Promise<Application> {
    return this.#transport.call('POST /1/applications', { body: fields }, options);
  }

  /** Changes the given fields; `webhook_url: null` removes the webhook. */
  update(id: number, fields: ApplicationChange, options?: CallOptions): Promise<void> {
    const input = { path: { id }, body: fields };
    return this.#transport.act('PUT /1/applications/{id}', input, options);
  }

  /** Deletes the application permanently, with its keys, integrations and messages. */
  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/applications/{id}', { path: { id } }, options);
  }

  /** Stops sending until the application is enabled again; queued messages wait. */
  disable(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/applications/{id}/disable', { path: { id } }, options);
  }

  enable(id: number, options?: CallOptions): Promise<void> {
    return this.update(id, { state: 'enable' }, options);
  }

  /** The policy for messages that may have been sent. */
  delivery(id: number, options?: CallOptions): Promise<Delivery> {
    return this.#transport.call('GET /1/applications/{id}/delivery', { path: { id } }, options);
  }

  /** Sets the policy for messages that may have been sent. */
  setDelivery(id: number, delivery: Delivery, options?: CallOptions): Promise<void> {
    const input = { path: { id }, body: delivery };
    return this.#transport.act('PUT /1/applications/{id}/delivery', input, options);
  }

  /** The rules for what the application sends, such as those on consent. */
  policies(id: number, options?: CallOptions): Promise<Policies> {
    return this.#transport.call('GET /1/applications/{id}/policies', { path: { id } }, options);
  }

  /** Changes the given policies. */
  setPolicies(id: number, policies: PoliciesChange, options?: CallOptions): Promise<void> {
    const input = { path: { id }, body: policies };
    return this.#transport.act('PUT /1/applications/{id}/policies', input, options);
  }
}
