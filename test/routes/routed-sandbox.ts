import assert from 'node:assert/strict';

import type { EngineName } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import type { Reply } from '../support/service/client.ts';
import { asTimePasses } from '../support/service/delivery.ts';
import { feedOf } from '../support/service/feed.ts';
import { type SandboxTest, openSandboxes } from '../support/service/sandbox.ts';

/* An application with a WhatsApp and an SMS integration in the sandbox, on a simulated clock. */

export const MINUTE_MS = 60_000;
/** Shorter than a lease. */
export const STEP_MS = 2_000;
/** Ada, on WhatsApp and by SMS. */
export const ADA = '16505551234';
export const ADA_SMS = '+15558675310';
/** Magic recipients of WhatsApp; see docs/sandbox.md. */
export const BLOCKED = '15005550002';
export const NO_RECEIPT = '15005550014';
export const LOST_ANSWER = '15005550007';
export const BLOCKED_SMS = '+15005550002';

export interface Routed extends SandboxTest, AsyncDisposable {
  clock: TestClock;
  store: Store;
  /** The SMS integration. */
  sms: number;
  post(body: Record<string, unknown>, to?: string): Promise<Reply>;
  /** Posts a message that goes to SMS if it is not read within two minutes; returns its id. */
  sendRouted(to?: string, change?: Record<string, unknown>): Promise<number>;
  show(id: number): Promise<Reply['body']>;
  /** Advances the clock until the message matches. */
  reach(
    id: number,
    what: string,
    isWanted: (message: Reply['body']) => boolean,
  ): Promise<Reply['body']>;
  /** Reports the message on the phone of this integration. */
  receipt(integrationId: number, state: string): Promise<void>;
  events(id: number): Promise<string[]>;
  phoneOf(integrationId: number): Promise<Reply['body'][]>;
}

export const ROUTES = [
  { via: 'whatsapp', until: 'read', after: 'PT2M' },
  { via: 'twilio', to: ADA_SMS },
];

export async function openRouted(engine: EngineName): Promise<Routed> {
  const clock = new TestClock();
  const sandboxes = await openSandboxes(engine, { clock });
  const sandbox = await sandboxes.open('whatsapp');
  const { app, applicationId } = sandbox;
  const { body } = await app.post('/1/integrations', {
    application_id: applicationId,
    name: 'twilio',
    state: 'enable',
    mode: 'sandbox',
  });
  const sms: number = body.id;
  const post = (fields: Record<string, unknown>, to = ADA) =>
    app.post('/1/message', { message: activity(to), ...fields });
  const show = async (id: number) => (await app.get(`/1/messages/${id}`)).body;
  const phoneOf = async (id: number) => {
    const { body: phone } = await app.get(`/1/sandbox/${id}/messages?limit=1000`);
    return phone.data.toReversed();
  };
  return {
    ...sandbox,
    [Symbol.asyncDispose]: () => sandboxes[Symbol.asyncDispose](),
    clock,
    store: sandboxes.service.store,
    sms,
    post,
    show,
    phoneOf,
    async sendRouted(to, change = {}) {
      const { status, body: accepted } = await post({ routes: ROUTES, ...change }, to);
      assert.equal(status, 202, JSON.stringify(accepted));
      return accepted.id;
    },
    reach: (id, what_, isWanted) =>
      asTimePasses(clock, STEP_MS, what_, async () => {
        const shown = await show(id);
        return isWanted(shown) && shown;
      }),
    async receipt(integrationId, state) {
      const [entry] = (await phoneOf(integrationId)).slice(-1);
      const path = `/1/sandbox/${integrationId}/receipts`;
      const { status } = await app.post(path, { message: entry.id, state });
      assert.equal(status, 204);
    },
    async events(id) {
      const feed = await feedOf(app);
      return feed.filter(({ data }) => data['id'] === id).map(({ type }) => type);
    },
  };
}

export const activity = (to: string) => ({
  '@context': 'https://www.w3.org/ns/activitystreams',
  type: 'Create',
  generator: { type: 'Service' },
  to: { type: 'Person', id: to },
  object: { type: 'Note', content: 'Your code is waiting.' },
});
