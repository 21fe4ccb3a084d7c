import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Receipt, ReceivedMessage } from '../../channels/inbound.ts';
import { findChannel } from '../../channels/index.ts';
import { blockIn, consentReportOf } from './changes.ts';

const NUMBER = '+15558675310';

function channelOf(name: string) {
  const channel = findChannel(name);
  assert.ok(channel, name);
  return channel;
}

/** The changes as `scope state`, and the keyword that we answer. */
function read(name: string, text: string, more: Partial<ReceivedMessage> = {}) {
  const from = { id: more.from?.id ?? NUMBER };
  const message: ReceivedMessage = { what: 'message', key: 'k', text, ...more, from };
  const receiver = { id: 5, applicationId: 4, name, mode: 'live' } as const;
  const { consents = [], answer } = consentReportOf(message, channelOf(name), receiver);
  const changes = consents.map(({ scope, state }) => `${scope} ${state}`);
  return { changes, answered: answer && `${answer.keyword} ${answer.language}` };
}

it('a keyword changes the consent, and is answered unless the vendor does', () => {
  const cases: [string, string, string[], string | undefined][] = [
    ['vonage', 'STOP', ['all revoked'], 'stop en'],
    ['vonage', 'Abmelden', ['all revoked'], 'stop de'],
    ['vonage', 'Help', [], 'help en'],
    ['vonage', 'START', ['all granted', 'vendor granted'], 'start en'],
    ['smpp', 'arrêt', ['all revoked'], 'stop fr'],
    ['twilio', 'STOP', ['all revoked'], undefined],
    ['twilio', 'HELP', [], undefined],
    // Twilio resumes messages too, but does not know the German word.
    ['twilio', 'START', ['all granted', 'vendor granted'], undefined],
    ['twilio', 'Abmelden', ['all revoked'], 'stop de'],
    ['messagebird', 'ARRET', ['all revoked'], undefined],
    ['messagebird', 'Uitschrijven', ['all revoked'], 'stop nl'],
    ['telegram', 'STOP', [], undefined],
    ['vonage', 'Please do not stop', [], undefined],
  ];
  for (const [name, text, changes, answered] of cases) {
    assert.deepEqual(read(name, text), { changes, answered }, `${name}: ${text}`);
  }
});

it("the vendor's own judgment counts, and is the vendor's block", () => {
  assert.deepEqual(read('twilio', 'Genug', { optOut: 'stop' }), {
    changes: ['all revoked', 'vendor revoked'],
    answered: undefined,
  });
  assert.deepEqual(read('twilio', 'Weiter', { optOut: 'start' }), {
    changes: ['all granted', 'vendor granted'],
    answered: undefined,
  });
  assert.deepEqual(read('twilio', 'Was?', { optOut: 'help' }), {
    changes: [],
    answered: undefined,
  });
});

it('a keyword on WhatsApp, or in a group, changes nothing', () => {
  const nothing = { changes: [], answered: undefined };
  assert.deepEqual(read('twilio', 'STOP', { from: { id: `whatsapp:${NUMBER}` } }), nothing);
  assert.deepEqual(read('vonage', 'STOP', { group: { id: 'g' } }), nothing);
});

it('a delivery report blocks a person by the codes of its vendor only', () => {
  const cases: [string, Partial<Receipt>, string | null][] = [
    ['twilio', { state: 'failed', code: '21610' }, 'vendor'],
    ['twilio', { state: 'failed', code: '30003' }, null],
    ['vonage', { state: 'failed', code: '9' }, 'vendor'],
    ['vonage', { state: 'failed', code: '1240' }, 'vendor'],
    // A busy phone, in a delivery report.
    ['vonage', { state: 'failed', code: '7' }, null],
    ['messagebird', { state: 'failed', code: '103' }, 'vendor'],
    ['messagebird', { state: 'failed', code: '15001', blocked: 'vendor' }, 'vendor'],
    ['email', { state: 'failed', code: '5.1.1' }, 'bounce'],
    ['email', { state: 'failed', code: '5.2.2' }, null],
    ['email', { state: 'delivered', blocked: 'complaint' }, 'complaint'],
    ['telegram', { state: 'failed', code: '21610' }, null],
  ];
  for (const [name, receipt, expected] of cases) {
    const given: Receipt = { what: 'receipt', id: '1', state: 'failed', ...receipt };
    assert.equal(blockIn(given, channelOf(name)), expected, `${name} ${receipt.code}`);
  }
});
