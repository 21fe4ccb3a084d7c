import type { Attempt, Recovery, Webhook, WebhookDelivery, WebhookTrial } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Which deliveries are wanted. */
export interface DeliveryFilter {
  /** Only those in this state, or in one of these. */
  state?: WebhookDelivery['state'] | readonly WebhookDelivery['state'][];
  /** Only those of this event. */
  event_id?: number;
}

/**
 * The webhook of an application, by the id of the application. Takes a token of a user. Its address is the
 * `webhook_url` of the application: `applications.update(id, { webhook_url })`.
 */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Its address, its state, and the secrets that `verifyWebhook` takes. */
  get(applicationId: number, options?: CallOptions): Promise<Webhook> {
    const path = { id: applicationId };
    return this.#transport.call('GET /1/applications/{id}/webhook', { path }, options);
  }

  /** Makes a new secret. The one before it signs as well for another 24 hours. */
  rotate(applicationId: number, options?: CallOptions): Promise<Webhook> {
    const path = { id: applicationId };
    return this.#transport.call('POST /1/applications/{id}/webhook/rotate', { path }, options);
  }

  /** Sends an event of the type `webhook.test` at once, and says what the endpoint answered. */
  test(applicationId: number, options?: CallOptions): Promise<WebhookTrial> {
    const path = { id: applicationId };
    return this.#transport.call('POST /1/applications/{id}/webhook/test', { path }, options);
  }

  /** Goes on with one that is paused. What has waited is delivered, in order. */
  resume(applicationId: number, options?: CallOptions): Promise<Webhook> {
    const path = { id: applicationId };
    return this.#transport.call('POST /1/applications/{id}/webhook/resume', { path }, options);
  }

  /** Delivers all events again `since` a moment, or `after` an event. */
  recover(applicationId: number, from: Recovery, options?: CallOptions): Promise<Webhook> {
    const given = { path: { id: applicationId }, body: from };
    return this.#transport.call('POST /1/applications/{id}/webhook/recover', given, options);
  }

  /** What was delivered, the newest first. */
  deliveries(
    applicationId: number,
    filter: DeliveryFilter & PageOptions = {},
    options?: CallOptions,
  ): List<WebhookDelivery> {
    const { state, ...rest } = filter;
    const query = { ...rest, ...(state !== undefined && { state: [state].flat().join(',') }) };
    const given = { path: { id: applicationId }, query };
    return listOf(this.#transport, 'GET /1/applications/{id}/webhook/deliveries', given, options);
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

  /** The tries to deliver an event: when, and what the endpoint answered. */
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

  /** Delivers an event again, after all that wait. */
  resend(applicationId: number, delivery: number, options?: CallOptions): Promise<void> {
    return this.#transport.act(
      'POST /1/applications/{id}/webhook/deliveries/{delivery}/resend',
      { path: { id: applicationId, delivery } },
      options,
    );
  }
}
