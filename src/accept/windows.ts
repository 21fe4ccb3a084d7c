import type { Channel } from '../channels/channel.ts';
import type { InboundEvent } from '../channels/inbound.ts';
import { findChannel } from '../channels/index.ts';
import { type OpenedWindow, windowDuration } from '../channels/window.ts';
import { windowAddress, windowFor } from '../compose/current-window.ts';
import { storable } from '../lib/text/storable.ts';
import type { OpenWindow } from '../model/sending/window.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Receiver } from './inbound-events.ts';

/** Maximum addresses of one person for which a window opens. */
const MAX_ADDRESSES = 10;

/** The windows that an inbound event opens: one for each address of the person, or one for the group. */
export function windowsOf(
  inboundEvent: InboundEvent,
  { name, mode }: Receiver,
  now: Millis,
): OpenWindow[] {
  const channel = findChannel(name);
  if (!channel?.window) return [];
  const opened = openedBy(inboundEvent, channel);
  if (!opened) return [];
  const at = Math.min('at' in inboundEvent ? (inboundEvent.at ?? now) : now, now);
  const openUntil = at + opened.forMs;
  const perhapsUntil = at + Math.max(opened.forMs, opened.perhapsForMs ?? 0);
  return writersOf(inboundEvent)
    .filter((address) => windowFor(channel, address))
    .map((address) => ({
      address: windowAddress(channel, storable(address), mode),
      inboundAt: at,
      openUntil,
      perhapsUntil,
    }));
}

function openedBy(inboundEvent: InboundEvent, { window }: Channel): OpenedWindow | undefined {
  if (!window) return undefined;
  const byMessage = { forMs: windowDuration(window, {}) };
  switch (inboundEvent.what) {
    case 'message':
    case 'edit':
      return inboundEvent.opens ?? byMessage;
    case 'join':
      return inboundEvent.opens;
    case 'unreadable':
      return byMessage;
    default:
      return undefined;
  }
}

function writersOf(inboundEvent: InboundEvent): string[] {
  if (inboundEvent.what === 'unreadable') return inboundEvent.sender ? [inboundEvent.sender] : [];
  if (!('from' in inboundEvent)) return [];
  if ('group' in inboundEvent && inboundEvent.group) return [inboundEvent.group.id];
  const { id, otherAddresses = [] } = inboundEvent.from;
  return [id, ...otherAddresses].slice(0, MAX_ADDRESSES);
}
