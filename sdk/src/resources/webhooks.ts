import type { Attempt, Recovery, Webhook, WebhookDelivery, WebhookTrial } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

export interface DeliveryFilter {
  /** Only deliveries in this state, or in one of these. */
  state?: WebhookDelivery['state'] | readonly WebhookDelivery['state'][];
  /** Only deliveries of this event. */
  event_id?: number;
}

/**
 * The webhook of an application, by application id. Needs a user token. To set its URL, use
 * `applications.update(id, { webhook_url })`.
 */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The URL, the state, and the secrets for `verifyWebhook`. */
  get(applicationId: number, options?: CallOptions): Promise<Webhook> {
    const path = { id: applicationId };
    return this.#transport.call('GET /1/applications/{id}/webhook', { path }, options);
  }

  /** Rotates the secret. The old secret also signs for another 24 hours. */
  rotate(applicationId: number, options?: CallOptions): Promise<Webhook> {
    const path = { id: applicationId };
    return this.#transport.call('POST /1/applications/{id}/webhook/rotate', { path }, options);
  }

  /** Sends a `webhook.test` event at once and returns the response of the endpoint. */
  test(applicationId: number, options?: CallOptions): Promise<WebhookTrial> {
    const path = { id: applicationId };
    return this.#transport.call('POST /1/applications/{id}/webhook/test', { path }, options);
  }

  /** Resumes a paused webhook. Waiting events are delivered in order. */
  resume(applicationId: number, options?: CallOptions): Promise<Webhook> {
    const path = { id: applicationId };
    return this.#transport.call('POST /1/applications/{id}/webhook/resume', { path }, options);
  }

  /** Redelivers all events `since` a time, or `after` an event. */
  recover(applicationId: number, from: Recovery, options?: CallOptions): Promise<Webhook> {
    const input = { path: { id: applicationId }, body: from };
    return this.#transport.call('POST /1/applications/{id}/webhook/recover', input, options);
  }

  /** The deliveries, newest first. */
  deliveries(
    applicationId: number,
    filter: DeliveryFilter & PageOptions = {},
    options?: CallOptions,
  ): List<WebhookDelivery> {
    const { state, ...rest } = filter;
    const query = { ...rest, ...(state !== undefined && { state: [state].flat().join(',') }) };
    const input = { path: { id: applicationId }, query };
    return listOf(this.#transport, 'GET /1/applications/{id}/webhook/deliveries', input, options);
  }

  delivery(
    applicationId: number,
    delivery: number,
    options?: CallOptions,
  ): Promise<WebhookDelivery> {
    return this.#transport.call(
      'GET /1/applications/{id}/webhook/deliveries/{delivery}',
      { path: { id: applicationId, delivery } },
      options,
    );
  }

  /** The attempts to deliver an event, with the endpoint's responses. */
  async attempts(
    applicationId: number,
    delivery: number,
    options?: CallOptions,
  ): Promise<Attempt[]> {
    const { data } = await this.#transport.call(
      'GET /1/applications/{id}/webhook/deliveries/{delivery}/attempts',
      { path: { id: applicationId, delivery } },
      options,
    );
    return data;
  }

  /** Redelivers an event, after all that are waiting. */
  resend(applicationId: number, delivery: number, options?: CallOptions): Promise<void> {
    return this.#transport.act(
      'POST /1/applications/{id}/webhook/deliveries/{delivery}/resend',
      { path: { id: applicationId, delivery } },
      options,
    );
  }
}
