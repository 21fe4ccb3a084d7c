import type { Channel, OutboundMessage, Outcome } from '../../src/channels/channel.ts';
import { WINDOW } from './windows.ts';

/** Longer texts have several parts. */
export const MAX_TEXT = 8;

/** A channel that splits texts, has templates, and reports on what it got. */
export function simulatedChannel(
  spacing: number,
  arrive: (message: OutboundMessage, signal: AbortSignal, isTemplate: boolean) => Promise<Outcome>,
): Channel {
  return {
    name: 'simulated',
    title: 'Simulated',
    category: 'own',
    summary: '',
    keywords: [],
    docs: '',
    credentials: [],
    needs: [[]],
    recipient: { format: '', example: '', validate: () => undefined },
    limits: [],
    concurrency: 3,
    text: { max: MAX_TEXT, measure: (text) => text.length },
    pace: { recipient: () => spacing },
    receipts: ['delivered', 'read', 'failed'],
    window: WINDOW,
    templates: { list: () => Promise.resolve([]), render: () => ({ body: { template: true } }) },
    renderers: { text: ({ text }) => ({ body: { text } }) },
    send: ({ body }, message, { signal }) => arrive(message, signal, body['template'] === true),
  };
}
