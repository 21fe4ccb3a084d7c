import type { ButtonKind } from '../model/button.ts';
import type { ButtonRenderer } from './button-renderer.ts';
import type { Channel } from './channel.ts';

/** A channel's capabilities, derived from its definition. */
export interface Capabilities {
  send: boolean;
  /** Maximum length of one text part as the vendor counts it; null for no limit. */
  text: number | null;
  /** Whether bold, italic, code, links and the like are shown. */
  formatting: boolean;
  image: boolean;
  video: boolean;
  audio: boolean;
  document: boolean;
  place: boolean;
  buttons: {
    most: number;
    label: number;
    kinds: ButtonKind[];
    value: { most: number; unit: 'bytes' | 'characters' } | null;
  } | null;
  /** Whether items of a collection that have buttons are shown side by side. */
  carousel: boolean;
  /** Where the title of a message goes. */
  title: string | null;
  reply: boolean;
  thread: boolean;
  edit: boolean;
  remove: boolean;
  /** Whether the credentials can be checked without sending a message. */
  check: boolean;
  /** Whether a form may check them while the user types. */
  live_check: boolean;
  /** Whether retries cannot create duplicates. */
  repeats: boolean;
  /** How messages are received: through a webhook, a live session, or a page of ours. */
  receive: ('hook' | 'session' | 'page')[];
  /** Whether we can register the webhook URL with the vendor. */
  register: boolean;
  /** The delivery reports that the channel provides. */
  receipts: string[];
  /** Whether the vendor has templates that messages can name. */
  templates: boolean;
  /** Hours after a person's message in which the vendor accepts free text; null if it always does. */
  window: number | null;
}

const MODES = ['hook', 'session', 'page'] as const;

export function capabilitiesOf(channel: Channel): Capabilities {
  const { renderers, text, send, edit, remove, check, idempotent } = channel;
  const { hook, listen, page, receipts } = channel;
  const isWhole = renderers === 'whole';
  const byContent = typeof renderers === 'object' ? renderers : undefined;
  return {
    send: send !== undefined,
    text: text?.max ?? null,
    formatting: isWhole || text?.write !== undefined,
    image: isWhole || byContent?.image !== undefined,
    video: isWhole || byContent?.video !== undefined,
    audio: isWhole || byContent?.audio !== undefined,
    document: isWhole || byContent?.document !== undefined,
    place: isWhole || byContent?.place !== undefined,
    buttons: byContent?.buttons ? buttonsOf(byContent.buttons) : null,
    carousel: byContent?.carousel !== undefined,
    title: byContent?.title ?? null,
    reply: isWhole || byContent?.reply !== undefined,
    thread: isWhole || byContent?.thread !== undefined,
    edit: isWhole || edit !== undefined,
    remove: isWhole || remove !== undefined,
    check: check !== undefined,
    live_check: check !== undefined && !channel.checkLogsIn,
    repeats: idempotent ?? false,
    receive: MODES.filter((mode) => ({ hook, session: listen, page })[mode] !== undefined),
    register: hook?.register !== undefined,
    receipts: [...(receipts ?? [])],
    templates: channel.templates !== undefined,
    window: channel.window?.hours ?? null,
  };
}

function buttonsOf({
  max,
  maxLabelLength,
  kinds,
  payload,
}: ButtonRenderer): Capabilities['buttons'] {
  const value = payload ? { most: payload.max, unit: payload.unit } : null;
  return { most: max, label: maxLabelLength, kinds: [...kinds], value };
}
