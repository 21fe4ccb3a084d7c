import { FetchFault } from '../../lib/http/fetch.ts';
import { textMember } from '../../lib/json/json-member.ts';
import type { ReportedCost } from '../../model/sending/cost.ts';
import type { HookContext, InboundEvent } from '../inbound.ts';
import { isSuccess } from '../unexpected-success.ts';
import { call } from './api.ts';

const SID = /^[A-Z]{2}[0-9a-f]{32}$/i;

/**
 * Adds prices to delivery reports. Twilio's webhook requests contain no price, but its message resource does, usually
 * once the message is delivered. A price that cannot be read is left out.
 * https://www.twilio.com/docs/messaging/api/message-resource
 */
export async function withPrices(
  inboundEvents: readonly InboundEvent[] | undefined,
  context: HookContext,
): Promise<readonly InboundEvent[] | undefined> {
  if (!inboundEvents?.some(mayHavePrice)) return inboundEvents;
  return Promise.all(
    inboundEvents.map(async (inboundEvent) =>
      mayHavePrice(inboundEvent)
        ? { ...inboundEvent, ...(await priceOf(inboundEvent, context)) }
        : inboundEvent,
    ),
  );
}

type Receipt = Extract<InboundEvent, { what: 'receipt' }>;

const mayHavePrice = (inboundEvent: InboundEvent): inboundEvent is Receipt =>
  inboundEvent.what === 'receipt' &&
  inboundEvent.state === 'delivered' &&
  SID.test(inboundEvent.id);

async function priceOf({ id }: Receipt, context: HookContext): Promise<{ cost?: ReportedCost }> {
  try {
    const answer = await call(`/Messages/${id}.json`, context, { isPrivate: true });
    if (!answer || !isSuccess(answer)) return {};
    const amount = textMember(answer.json(), 'price');
    const currency = textMember(answer.json(), 'price_unit');
    return amount === undefined
      ? {}
      : { cost: { amount, ...(currency !== undefined && { currency }) } };
  } catch (error) {
    if (error instanceof FetchFault) return {};
    throw error;
  }
}
