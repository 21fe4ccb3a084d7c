import type { Outcome } from '../../channels/channel.ts';
import { isWindowClosed, windowFor } from '../../compose/current-window.ts';
import type { Step } from '../../compose/plan.ts';
import { templateStep } from '../../compose/template-step.ts';
import { CREDENTIALS } from '../../model/integration.ts';
import { type MessageOptions, readInstructions } from '../../model/sending/instructions.ts';
import type { ChosenTemplate } from '../../model/templates/template.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Store } from '../../store/store.ts';
import type { RunnerConfig } from '../runner.ts';
import type { Fault } from './mode-fault.ts';

export const WINDOW_CLOSED: Fault = {
  fault: 'the person last wrote too long ago for free text',
  blame: 'window_closed',
};

/**
 * The template to send the message with; undefined for free text. `closed` if the vendor accepts no free text any more
 * and the message has no template for that. Plain messages on channels without windows cost nothing.
 */
export async function templateOf(
  message: ClaimedMessage,
  config: RunnerConfig,
  store: Store,
  now: Millis,
): Promise<ChosenTemplate | 'closed' | undefined> {
  const hasWindow = windowFor(config.channel, message.recipient) !== undefined;
  if (!hasWindow && message.instructions === null) return undefined;
  const { template, outsideWindow, options = {} } = readInstructions(message.instructions);
  if (!hasWindow || template?.source === 'vendor') return template;
  const closed = isClosed(message, config, options, store, now);
  if (!(typeof closed === 'boolean' ? closed : await closed)) return template;
  // Parts that were sent as free text cannot become a template.
  return message.partsSent > 0 ? 'closed' : (outsideWindow ?? 'closed');
}

/** The template of a message whose window turns out to be closed: only the vendor knew. */
export function templateInstead(
  { recipient, instructions, partsSent }: ClaimedMessage,
  outcome: Outcome,
  { channel, credentials }: RunnerConfig,
): Step[] | undefined {
  if (outcome.outcome !== 'permanent' || outcome.blame !== 'window_closed') return undefined;
  const { outsideWindow, options = {} } = readInstructions(instructions);
  if (outsideWindow?.source !== 'vendor' || partsSent > 0) return undefined;
  return [templateStep(channel, outsideWindow.filled, { recipient, credentials, options })];
}

function isClosed(
  { applicationId, integrationId, recipient }: ClaimedMessage,
  { channel, credentials, mode }: RunnerConfig,
  options: MessageOptions,
  store: Store,
  now: Millis,
): boolean | Promise<boolean> {
  const supplied = CREDENTIALS.filter((name) => credentials[name] !== undefined);
  const place = { applicationId, integrationId };
  return isWindowClosed(
    channel,
    { recipient, mode, supplied, options },
    {
      find: (address) => store.windows.find(place, address),
      recall: (address) => store.windows.recall(place, address),
    },
    now,
  );
}
