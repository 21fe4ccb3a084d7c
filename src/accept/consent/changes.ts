import type { Channel } from '../../channels/channel.ts';
import { consentAddressOf } from '../../channels/consent-address.ts';
import type { InboundEvent, ReceivedMessage, Receipt } from '../../channels/inbound.ts';
import { storable } from '../../lib/text/storable.ts';
import {
  type ConsentAddress,
  type ConsentBlock,
  type ConsentChange,
  MAX_EVIDENCE_LENGTH,
  consentKey,
} from '../../model/sending/consent.ts';
import type { AnswerableKeyword } from '../../model/sending/keyword-answer.ts';
import { type WrittenKeyword, keywordIn } from '../../model/sending/keywords.ts';
import type { Receiver } from '../inbound-events.ts';

/** Families in which a word such as STOP ends all messages, as the laws of many countries require. */
const WITH_KEYWORDS: ReadonlySet<string> = new Set(['sms', 'rcs', 'sandbox.sms', 'sandbox.rcs']);

/** Changes that an inbound event makes in addition to its entry in the feed. */
export interface ConsentReport {
  consents?: readonly ConsentChange[];
  answer?: AnswerableKeyword;
}

/** The consent that a person, or the vendor, has changed, and the answer to the person. */
export function consentReportOf(
  inboundEvent: InboundEvent,
  channel: Channel,
  receiver: Receiver,
): ConsentReport {
  if (!('from' in inboundEvent)) return {};
  const address = consentAddressOf(channel, inboundEvent.from.id, receiver.mode);
  switch (inboundEvent.what) {
    case 'message':
      return keywordReport(inboundEvent, address, channel, receiver);
    case 'opt-out':
    case 'opt-in': {
      const state = inboundEvent.what === 'opt-out' ? 'revoked' : 'granted';
      const evidence = storable(inboundEvent.category);
      const key = consentKey(address);
      return { consents: [{ key, scope: 'marketing', state, source: 'preference', evidence }] };
    }
    default:
      return {};
  }
}

function keywordReport(
  { text, group, optOut, from, answerTo }: ReceivedMessage,
  address: ConsentAddress,
  { answeredWords, blockedCodes }: Channel,
  { mode }: Receiver,
): ConsentReport {
  if (group || !WITH_KEYWORDS.has(address.family)) return {};
  const written = text === undefined ? undefined : keywordIn(text);
  const keyword = optOut ?? written?.keyword;
  if (keyword === undefined) return {};
  const isAnswered = optOut !== undefined || isAnsweredBy(answeredWords, written);
  const answer: AnswerableKeyword | undefined = isAnswered
    ? undefined
    : {
        keyword,
        language: written?.language ?? 'en',
        recipient: answerTo ?? from.id,
        isSandbox: mode === 'sandbox',
      };
  if (keyword === 'help') return { ...(answer && { answer }) };
  const key = consentKey(address);
  const evidence = storable((text ?? '').slice(0, MAX_EVIDENCE_LENGTH));
  const state = keyword === 'stop' ? 'revoked' : 'granted';
  const own: ConsentChange = { key, scope: 'all', state, source: 'keyword', evidence };
  // The vendor handled the keyword itself, or a START may have ended its block; if not, its next refusal records it again.
  const changesVendorBlock =
    optOut !== undefined || (keyword === 'start' && blockedCodes?.as === 'vendor');
  const ofVendor: ConsentChange = { key, scope: 'vendor', state, source: 'vendor', evidence };
  return { consents: changesVendorBlock ? [own, ofVendor] : [own], ...(answer && { answer }) };
}

const isAnsweredBy = (words: ReadonlySet<string> | undefined, written?: WrittenKeyword) =>
  written !== undefined && words?.has(written.word) === true;

/** The block that a delivery report states, if any. */
export function blockIn(
  { state, code = '', blocked }: Receipt,
  { blockedCodes }: Channel,
): ConsentBlock | null {
  if (blocked) return blocked;
  const isBlocked = state === 'failed' && blockedCodes?.report?.test(code) === true;
  return isBlocked ? blockedCodes.as : null;
}
