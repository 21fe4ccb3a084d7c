import { consentAddressOf } from '../channels/consent-address.ts';
import type { InboundEvent, ReceivedMessage } from '../channels/inbound.ts';
import { findChannel } from '../channels/index.ts';
import { storable } from '../lib/text/storable.ts';
import { type ConsentChange, consentKey } from '../model/sending/consent.ts';
import { keywordIn } from '../model/sending/keywords.ts';
import type { Receiver } from './inbound-events.ts';

/** Families in which a word such as STOP ends all messages, as the law of many countries asks. */
const WITH_KEYWORDS: ReadonlySet<string> = new Set(['sms', 'rcs', 'sandbox.sms', 'sandbox.rcs']);

/** What a person allows from now on, according to an inbound event. */
export function consentChangeOf(
  inboundEvent: InboundEvent,
  receiver: Receiver,
): ConsentChange | undefined {
  const channel = findChannel(receiver.name);
  if (!channel || !('from' in inboundEvent)) return undefined;
  const address = consentAddressOf(channel, inboundEvent.from.id, receiver.mode);
  const key = consentKey(address);
  switch (inboundEvent.what) {
    case 'message': {
      const state = WITH_KEYWORDS.has(address.family) ? stateIn(inboundEvent) : undefined;
      if (state === undefined) return undefined;
      const evidence = storable(inboundEvent.text ?? '');
      return { key, scope: 'all', state, source: 'keyword', evidence };
    }
    case 'opt-out':
    case 'opt-in': {
      const state = inboundEvent.what === 'opt-out' ? 'revoked' : 'granted';
      const evidence = storable(inboundEvent.category);
      return { key, scope: 'marketing', state, source: 'preference', evidence };
    }
    default:
      return undefined;
  }
}

function stateIn({ text, group }: ReceivedMessage): 'revoked' | 'granted' | undefined {
  if (text === undefined || group) return undefined;
  const keyword = keywordIn(text);
  return keyword === 'stop' ? 'revoked' : keyword === 'start' ? 'granted' : undefined;
}
