import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import type { NewMessage } from '../../src/model/message.ts';
import {
  CATEGORIES,
  CONSENT_SCOPES,
  CONSENT_STATES,
  type Category,
  type ConsentPolicy,
  type ConsentScope,
  type ConsentState,
  suppressionOf,
} from '../../src/model/sending/consent.ts';
import { openStore } from '../../src/setup.ts';
import type { Submission } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../support/fast-check.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration } from '../support/store/dispatch.ts';

/* Consents in the statements that accept and claim messages, on both engines. */
for (const engine of ENGINES) {
  describe(`consents in the store (${engine})`, () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await createDatabase(engine);
      store = await openStore(readConfig(database.environment));
    });
    after(async () => {
      await store.close();
      await database.dispose();
    });

    async function tenant() {
      const owned = await ownIntegration(store);
      const { applicationId, integrationId } = owned;
      const draft = (to: string, category?: Category): NewMessage => ({
        applicationId,
        integrationId,
        recipient: to,
        activity: '{}',
        objectId: null,
        type: 'Create',
        expiresAt: null,
        createdAt: NOW,
        consentKey: `sms:${to}`,
        category: category ?? null,
      });
      return {
        ...owned,
        draft,
        consent: (to: string, scope: ConsentScope, state: ConsentState) =>
          store.consents.change([
            {
              applicationId,
              key: `sms:${to}`,
              scope,
              state,
              source: 'api',
              evidence: null,
              at: NOW,
            },
          ]),
        async submit(submission: Submission) {
          const [accepted] = await store.messages.accept([submission]);
          assert.ok(accepted);
          return accepted;
        },
      };
    }

    it('a message that failed and is resent after the stop is not sent', async () => {
      const { applicationId, draft, consent, submit, round, settle } = await tenant();
      const accepted = await submit({ messages: [draft('+15550003', 'marketing')] });
      assert.ok('ids' in accepted);
      const [id = 0] = accepted.ids;
      const [first] = (await round(1)).claimed;
      await round(0, [settle(first, { state: 'failed', reason: 'recipient' })]);
      const stored = await store.messages.get(applicationId, id);
      assert.deepEqual([stored?.category, stored?.consentKey], ['marketing', 'sms:+15550003']);
      await consent('+15550003', 'marketing', 'revoked');
      await store.lanes.resend(applicationId, id, NOW);
      const { claimed } = await round(1);
      assert.deepEqual(
        claimed.map((one) => [one.id, one.suppressed]),
        [[id, true]],
      );
    });

    it('a message to a person who stopped all messages is refused, and others of its commit are stored', async () => {
      const { draft, consent } = await tenant();
      await consent('+15550001', 'all', 'revoked');
      const [stopped, other] = await store.messages.accept([
        { messages: [draft('+15550001')] },
        { messages: [draft('+15550002')] },
      ]);
      assert.deepEqual(stopped, { refused: 0 });
      assert.ok(other && 'ids' in other);
      assert.equal(other.ids.length, 1);
    });

    it('a refused message leaves its idempotency key unused', async () => {
      const { applicationId, draft, consent, submit } = await tenant();
      await consent('+15550001', 'all', 'revoked');
      const key = { tenantId: applicationId, scope: 's', key: 'k', hash: 'h' };
      const submission = { messages: [draft('+15550001')], idempotency: key };
      assert.deepEqual(await submit(submission), { refused: 0 });
      await consent('+15550001', 'all', 'granted');
      const accepted = await submit(submission);
      assert.ok('ids' in accepted);
      await consent('+15550001', 'all', 'revoked');
      assert.deepEqual(await submit(submission), { repeated: true }, 'the first answer stays');
    });

    it('a batch stores suppressed messages, settled, with the others', async () => {
      const { applicationId, draft, consent, submit, round, state } = await tenant();
      await consent('+15550001', 'all', 'revoked');
      const messages = [draft('+15550001'), draft('+15550002')];
      const accepted = await submit({ messages, withSuppressed: true });
      assert.ok('ids' in accepted);
      assert.deepEqual(accepted.suppressed, [0]);
      const [stopped = 0, other = 0] = accepted.ids;
      await store.lanes.refuse(applicationId, [stopped], 'suppressed', NOW);
      assert.equal(await state(stopped), 'suppressed');
      const { claimed } = await round(10);
      assert.deepEqual(
        claimed.map(({ id, suppressed }) => [id, suppressed]),
        [[other, false]],
      );
    });

    it('a message that was accepted before the person stopped is claimed as suppressed', async () => {
      const { draft, consent, submit, round } = await tenant();
      const accepted = await submit({ messages: [draft('+15550001'), draft('+15550002')] });
      assert.ok('ids' in accepted);
      await consent('+15550001', 'all', 'revoked');
      const { claimed } = await round(10);
      assert.deepEqual(
        claimed.toSorted((a, b) => a.id - b.id).map(({ suppressed }) => suppressed),
        [true, false],
      );
    });

    it('consents of one application do not concern another', async () => {
      const [one, other] = [await tenant(), await tenant()];
      await one.consent('+15550001', 'all', 'revoked');
      assert.ok('ids' in (await other.submit({ messages: [other.draft('+15550001')] })));
    });

    it('every change is kept as proof, and only a new state counts as a change', async () => {
      const { applicationId, consent } = await tenant();
      assert.equal((await consent('+15550001', 'all', 'revoked')).length, 1);
      assert.equal((await consent('+15550001', 'all', 'revoked')).length, 0);
      assert.equal((await consent('+15550001', 'all', 'granted')).length, 1);
      const changes = await store.consents.changes(applicationId, 'sms:+15550001');
      assert.deepEqual(
        changes.map(({ state }) => state),
        ['granted', 'revoked', 'revoked'],
      );
    });

    it('accepting and claiming follow the rule of the model', async () => {
      const policies = fc.record({ allowTransactional: fc.boolean(), doubleOptIn: fc.boolean() });
      const consents = fc.uniqueArray(
        fc.record({
          scope: fc.constantFrom(...CONSENT_SCOPES),
          state: fc.constantFrom(...CONSENT_STATES),
        }),
        { selector: ({ scope }) => scope },
      );
      const cases = fc.record({
        policy: policies,
        consents,
        category: fc.constantFrom(...CATEGORIES),
      });
      const { applicationId, draft, consent, submit, round, settle } = await tenant();
      let next = 0;
      await fc.assert(
        fc.asyncProperty(cases, async ({ policy, consents: given, category }) => {
          const to = `+1555${String(next++).padStart(7, '0')}`;
          const expected = suppressionOf(given, category, policy) !== undefined;
          const unlimited: ConsentPolicy = { allowTransactional: true, doubleOptIn: false };
          await store.consents.setSettings(applicationId, unlimited);
          const first = await submit({ messages: [draft(to, category)] });
          assert.ok('ids' in first);
          await store.consents.setSettings(applicationId, policy);
          for (const { scope, state } of given) await consent(to, scope, state);
          const { claimed } = await round(10);
          assert.deepEqual(
            claimed.map(({ recipient, suppressed }) => [recipient, suppressed]),
            [[to, expected]],
          );
          await round(0, [settle(claimed[0])]);
          const second = await submit({ messages: [draft(to, category)], withSuppressed: true });
          assert.ok('ids' in second);
          assert.deepEqual(second.suppressed, expected ? [0] : []);
          await store.lanes.cancel(applicationId, second.ids[0] ?? 0, NOW);
        }),
        { numRuns: 60 },
      );
    });
  });
}
