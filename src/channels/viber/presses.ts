import { textMember } from '../../lib/member.ts';
import { type Button, payloadOf } from '../../model/button.ts';

/*
 * Viber tells that a button was pressed as a text with its value. What the message that had the buttons tracks comes
 * with it, so the names are there. https://developers.viber.com/docs/api/rest-bot-api/#general-send-message-parameters
 */

export const MOST_OF_TRACKING = 4000;

/** Nothing where no button brings anything back. */
export function writePresses(buttons: readonly Button[]): string {
  const pairs = buttons
    .filter(({ url }) => url === undefined)
    .map((button) => [payloadOf(button), button.name]);
  return pairs.length === 0 ? '' : JSON.stringify(pairs);
}

/** The button that the text is the value of; undefined when it is none of them. */
export function readPress(
  text: string | undefined,
  tracked: string | undefined,
): { name: string; value: string } | undefined {
  if (text === undefined || tracked === undefined) return undefined;
  for (const pair of parsed(tracked)) {
    const name = textMember(pair, '1');
    if (textMember(pair, '0') === text && name !== undefined) return { name, value: text };
  }
  return undefined;
}

/** Others track what they like. */
function parsed(tracked: string): unknown[] {
  try {
    const read: unknown = JSON.parse(tracked);
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}
