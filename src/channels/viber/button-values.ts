import { textMember } from '../../lib/json/json-member.ts';
import { type Button, payloadOf } from '../../model/button.ts';

/*
 * Viber reports a pressed button as a text with its value, together with the tracking data of the message that had
 * the buttons. So the tracking data holds their labels.
 * https://developers.viber.com/docs/api/rest-bot-api/#general-send-message-parameters
 */

export const MAX_TRACKING_LENGTH = 4000;

/** Empty when no button sends a value back. */
export function writePresses(buttons: readonly Button[]): string {
  const pairs = buttons
    .filter(({ url }) => url === undefined)
    .map((button) => [payloadOf(button), button.name]);
  return pairs.length === 0 ? '' : JSON.stringify(pairs);
}

/** The button with this value; undefined when there is none. */
export function readPress(
  text: string | undefined,
  tracked: string | undefined,
): { name: string; value: string } | undefined {
  if (text === undefined || tracked === undefined) return undefined;
  for (const pair of parseTracked(tracked)) {
    const name = textMember(pair, '1');
    if (textMember(pair, '0') === text && name !== undefined) return { name, value: text };
  }
  return undefined;
}

/** Tracking data of other programs can have any format. */
function parseTracked(tracked: string): unknown[] {
  try {
    const json: unknown = JSON.parse(tracked);
    return Array.isArray(json) ? json : [];
  } catch {
    return [];
  }
}
