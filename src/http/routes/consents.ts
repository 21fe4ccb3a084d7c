import Type from 'typebox';

import { NO_ID, parseId } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import { consentView } from '../../model/sending/consent-event.ts';
import { isErasedKey } from '../../model/sending/consent.ts';
import { timestamp } from '../../model/timestamp.ts';
import type { ConsentChangeRow } from '../../store/schema.ts';
import { ConsentBody, keyOf, keysOf, readConsent } from '../new-consent.ts';
import { ConsentSchema, ConsentScopeName, proofFields } from '../openapi/consent-schemas.ts';
import { Timestamp, listOf } from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, applicationRoute, created, noContent, notFound, ok } from '../server/route.ts';
import type { Services } from '../services.ts';

export const ConsentDetailSchema = Type.Object(
  {
    ...ConsentSchema.properties,
    history: Type.Array(Type.Object({ at: Timestamp, scope: ConsentScopeName, ...proofFields }), {
      description: 'The last hundred changes of the address, newest first.',
    }),
  },
  { title: 'ConsentDetail' },
);

const changeView = ({ scope, state, source, evidence, createdAt }: ConsentChangeRow) => ({
  at: timestamp(createdAt),
  scope,
  state,
  source,
  evidence,
});

const tag = 'Consents';
const gone = () => notFound('the consent');

/** Consents of people, with the proof. */
export function consentRoutes({ store, clock, feed }: Services): Route[] {
  return [
    applicationRoute({
      method: 'GET',
      path: '/1/consents',
      operationId: 'listConsents',
      tag,
      summary: 'List consents',
      description:
        'Newest first. Messages to an address whose consent is revoked are not sent. With `address`, only those of the address, in one `family` or in all.',
      query: [
        ...PAGING,
        {
          name: 'family',
          description: 'The family of the address; all by default.',
          schema: { type: 'string' },
        },
        { name: 'address', description: 'Only this address.', schema: { type: 'string' } },
      ],
      evenDisabled: true,
      success: { status: 200, description: 'A page of consents.', schema: listOf(ConsentSchema) },
      async handle(call) {
        const { applicationId } = call.caller;
        const { family, address } = call.query;
        if (!address) {
          const all = await store.consents.list(applicationId, pageRequest(call.query));
          return listAnswer(call, '/1/consents', all, (one) => JSON.stringify(consentView(one)));
        }
        const keys = family ? [keyOf(family, address)] : keysOf(address);
        const items = address.length <= 1024 ? await store.consents.ofAll(applicationId, keys) : [];
        const page = { items, older: false, newer: false };
        return listAnswer(call, '/1/consents', page, (one) => JSON.stringify(consentView(one)));
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/consents',
      operationId: 'setConsent',
      tag,
      summary: 'Record a consent',
      description:
        'Records what a person allows for an address, with the proof. `scope` is `all` by default. A stop takes effect for queued messages too.',
      body: ConsentBody,
      example: {
        family: 'sms',
        address: '+15558675310',
        scope: 'marketing',
        state: 'revoked',
        evidence: 'Asked by phone, call 4711',
      },
      success: { status: 201, description: 'Recorded.', schema: ConsentSchema },
      problems: ['vendor_blocked', 'consent_erased'],
      async handle(call) {
        const { applicationId } = call.caller;
        const change = readConsent(call.body, 'api');
        const existing = await store.consents.of(applicationId, change.key);
        const isBlocked = existing.some(
          ({ scope, state }) => scope === 'vendor' && state === 'revoked',
        );
        if (change.state === 'granted' && isBlocked) throw vendorBlocked();
        const isErased = existing.some(({ key, state }) => isErasedKey(key) && state === 'revoked');
        if (isErased && change.state !== 'revoked' && change.evidence === null) {
          throw new Problem('consent_erased', 'the person revoked the consent and was erased');
        }
        const at = clock.now();
        await store.consents.change([{ ...change, applicationId, at }]);
        feed.changed(applicationId);
        const all = await store.consents.of(applicationId, change.key);
        const stored = all.findLast(({ scope }) => scope === change.scope);
        if (!stored) throw gone();
        return created(`/1/consents/${stored.id}`, consentView(stored));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/consents/:id',
      operationId: 'getConsent',
      tag,
      summary: 'Get a consent with its history',
      evenDisabled: true,
      success: { status: 200, description: 'The consent.', schema: ConsentDetailSchema },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const consent = await store.consents.get(
          applicationId,
          parseId(call.params['id']) ?? NO_ID,
        );
        if (!consent) throw gone();
        const changes = await store.consents.changes(applicationId, consent.key);
        return ok({ ...consentView(consent), history: changes.map(changeView) });
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/consents/:id',
      operationId: 'deleteConsent',
      tag,
      summary: 'Delete a consent',
      description:
        'Afterwards the address has no consent, neither granted nor revoked. The history stays. Only the vendor can lift its own block; delete a bounce if the mailbox exists again.',
      success: { status: 204, description: 'Deleted.' },
      problems: ['not_found', 'vendor_blocked'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = parseId(call.params['id']) ?? NO_ID;
        const consent = await store.consents.get(applicationId, id);
        if (!consent) throw gone();
        if (consent.scope === 'vendor' && consent.source !== 'bounce') throw vendorBlocked();
        await store.consents.delete(consent);
        return noContent;
      },
    }),
  ];
}

const vendorBlocked = () =>
  new Problem('vendor_blocked', 'the vendor refuses messages to this address');
