import type { Channel } from '../../channels/channel.ts';
import { consentAddressOf } from '../../channels/consent-address.ts';
import { unsubscribeAddress } from '../../compose/unsubscribe-token.ts';
import type { IntegrationMode } from '../../model/integration.ts';
import { consentKey } from '../../model/sending/consent.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Store } from '../../store/store.ts';

/** Where the recipient of a marketing message unsubscribes, if the service has a public URL. */
export function unsubscribeUrlOf(
  { applicationId, recipient, instructions }: ClaimedMessage,
  channel: Channel,
  mode: IntegrationMode,
  { store, publicUrl }: { store: Store; publicUrl?: string | undefined },
): { unsubscribeUrl?: string } {
  if (publicUrl === undefined || !readInstructions(instructions).marketing) return {};
  const key = consentKey(consentAddressOf(channel, recipient, mode));
  return { unsubscribeUrl: unsubscribeAddress(store.signer, publicUrl, { applicationId, key }) };
}
