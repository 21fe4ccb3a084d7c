import { textMember } from '../../lib/json/json-member.ts';
import { type Button, payloadOf } from '../../model/button.ts';

/*
 * LINE's button actions. https://developers.line.biz/en/reference/messaging-api/#action-objects
 * LINE sends back the data of a pressed button, not its label, so the data holds both.
 */

export const MOST_OF_POSTBACK = 300;
const MOST_OF_URL = 1000;

export const writePress = (button: Button): string =>
  JSON.stringify([button.name, payloadOf(button)]);

/** Parses the data from `writePress`; other data is both name and value. */
export function readPress(data: string): { name: string; value: string } {
  try {
    const read: unknown = JSON.parse(data);
    const [name, value] = [textMember(read, '0'), textMember(read, '1')];
    const isPair = Array.isArray(read) && read.length === 2;
    if (isPair && name !== undefined && value !== undefined) return { name, value };
  } catch {
    // Not JSON.
  }
  return { name: data, value: data };
}

const isLong = (button: Button) => writePress(button).length > MOST_OF_POSTBACK;

export function actionsOf(buttons: readonly Button[]): object[] | { unfit: string } {
  if (buttons.some(({ url = '' }) => url.length > MOST_OF_URL)) {
    return { unfit: `LINE takes addresses of at most ${MOST_OF_URL} behind buttons` };
  }
  if (buttons.some((button) => button.url === undefined && isLong(button))) {
    return { unfit: `LINE takes at most ${MOST_OF_POSTBACK} for what comes back of a button` };
  }
  return buttons.map((button) => {
    const { name, url } = button;
    return url === undefined
      ? { type: 'postback', label: name, data: writePress(button), displayText: name }
      : { type: 'uri', label: name, uri: url };
  });
}
