import type { Id } from '../../model/id.ts';
import { SIGNALS, type Signal } from '../delivery/signals.ts';

/** https://www.postgresql.org/docs/current/sql-notify.html: a payload must be shorter than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

export type SignalIds = ReadonlyMap<Signal, ReadonlySet<Id>>;

/** `sender due=1,2 feed=7`, in as many payloads as needed. */
export function writeSignals(sender: string, signals: SignalIds): string[] {
  const texts: string[] = [];
  let text = sender;
  let last: Signal | undefined;
  for (const [signal, ids] of signals) {
    for (const id of ids) {
      const more = last === signal ? `,${id}` : ` ${signal}=${id}`;
      if (text.length + more.length > MAX_PAYLOAD_BYTES) {
        texts.push(text);
        text = `${sender} ${signal}=${id}`;
      } else text += more;
      last = signal;
    }
  }
  return [...texts, text];
}

/** Parses a payload. Ignores unknown signals, because nodes of other versions may send more. */
export function readSignals(text: string): { sender: string; signals: [Signal, Id[]][] } {
  const [sender = '', ...parts] = text.split(' ');
  const signals = parts.flatMap((part): [Signal, Id[]][] => {
    const [name, list = ''] = part.split('=');
    const signal = SIGNALS.find((each) => each === name);
    const ids = list.split(',').map(Number).filter(Number.isSafeInteger);
    return signal ? [[signal, ids]] : [];
  });
  return { sender, signals };
}
