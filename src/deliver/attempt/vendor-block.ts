import type { Channel, Outcome } from '../../channels/channel.ts';
import { consentAddressOf } from '../../channels/consent-address.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import { storable } from '../../lib/text/storable.ts';
import type { IntegrationMode } from '../../model/integration.ts';
import { type ConsentChange, blockChange, consentKey } from '../../model/sending/consent.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Store } from '../../store/store.ts';

/** Records that the vendor refuses the recipient. If this fails, the next refusal repeats it. */
export async function recordBlock(
  { store, log, clock }: { store: Store; log: Log; clock: Clock },
  { id, applicationId, recipient }: ClaimedMessage,
  outcome: Outcome,
  channel: Channel,
  mode: IntegrationMode,
): Promise<void> {
  const change = blockIn(outcome, channel, recipient, mode);
  if (!change) return;
  try {
    await store.consents.change([{ ...change, applicationId, at: clock.now() }]);
  } catch (error) {
    log.warn({ err: error, message_id: id }, "the vendor's block was not recorded");
  }
}

/** The block that a failure states: the vendor refuses all messages to the recipient. */
function blockIn(
  outcome: Outcome,
  channel: Channel,
  recipient: string,
  mode: IntegrationMode,
): ConsentChange | undefined {
  const { blockedCodes } = channel;
  if (!blockedCodes?.send || outcome.outcome !== 'permanent') return undefined;
  const { blame, code = '', detail } = outcome;
  if (blame !== 'recipient' || !blockedCodes.send.test(code)) return undefined;
  const key = consentKey(consentAddressOf(channel, recipient, mode));
  return blockChange(key, blockedCodes.as, storable(detail));
}
