import type { Blame } from '../../channels/channel.ts';
import type { IntegrationMode } from '../../model/integration.ts';
import { isSandboxed } from '../../model/sending/instructions.ts';

/** Why a message cannot be sent. */
export interface Fault {
  fault: string;
  blame: Blame;
}

const OTHER_MODE: Fault = {
  fault: 'the integration was switched from the sandbox to live after the message was accepted',
  blame: 'unsupported',
};

const SWITCHED_OFF: Fault = { fault: 'the sandbox is switched off', blame: 'unsupported' };

/** A message stays in the mode in which it was accepted: no sandbox message reaches a vendor. */
export function modeFault(
  message: { instructions: string | null },
  mode: IntegrationMode,
  hasSandbox: boolean,
): Fault | undefined {
  if (mode === 'sandbox' && !hasSandbox) return SWITCHED_OFF;
  return isSandboxed(message) === (mode === 'sandbox') ? undefined : OTHER_MODE;
}
