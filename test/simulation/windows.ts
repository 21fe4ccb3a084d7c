import type { MessageWindow } from '../../src/channels/window.ts';
import { type Instructions, writeInstructions } from '../../src/model/sending/instructions.ts';
import type { ChosenTemplate } from '../../src/model/templates/template.ts';
import { openWindows } from '../../src/store/messages/windows.ts';
import type { Store } from '../../src/store/store.ts';
import { consentKeyOf } from './stops.ts';

/** The recipient to whom the channel accepts free text only for a while. */
const BOUNDED = 'cleo';
const WINDOW_MS = 5_000;
const HOUR_MS = 3_600_000;

export const WINDOW: MessageWindow = {
  hours: WINDOW_MS / HOUR_MS,
  link: '',
  appliesTo: (recipient) => recipient === BOUNDED,
};

/** Which template a message has: none, one in place of its text, or one for when the window is closed. */
export const TEMPLATES = ['none', 'vendor', 'outside'] as const;
export type TemplateUse = (typeof TEMPLATES)[number];

const TEMPLATE: ChosenTemplate = {
  name: 'simulated',
  language: 'en',
  source: 'vendor',
  filled: { name: 'simulated', language: 'en', vendorId: '', values: [] },
};

const INSTRUCTIONS: Readonly<Record<TemplateUse, Instructions>> = {
  none: {},
  vendor: { template: TEMPLATE },
  outside: { outsideWindow: TEMPLATE },
};

export const instructionsFor = (use: TemplateUse): string | null =>
  writeInstructions(INSTRUCTIONS[use]);

/** When people wrote, and so when free text may reach them. */
export class SimulatedWindows {
  readonly #createdAt: number;
  /** When the bounded recipient wrote, by integration. */
  readonly #written = new Map<number, number[]>();

  constructor(createdAt: number) {
    this.#createdAt = createdAt;
  }

  /** The person writes, which opens the window. */
  async write(
    store: Store,
    place: { applicationId: number; integrationId: number },
    recipient: string,
    now: number,
  ): Promise<void> {
    const { integrationId } = place;
    // Noted first: it may take effect at any time from now on.
    this.#written.set(integrationId, [...(this.#written.get(integrationId) ?? []), now]);
    const openUntil = now + WINDOW_MS;
    const times = { inboundAt: now, openUntil, perhapsUntil: openUntil };
    const row = { ...place, address: consentKeyOf(recipient), ...times };
    await store.engine.db.transaction().execute((trx) => openWindows(store.engine, trx, [row]));
  }

  /** Whether the window was closed from one time to the other. */
  isClosed(integrationId: number, recipient: string, from: number, until: number): boolean {
    if (recipient !== BOUNDED || from < this.#createdAt + WINDOW_MS) return false;
    const written = this.#written.get(integrationId) ?? [];
    return !written.some((at) => at <= until && at + WINDOW_MS > from);
  }
}
