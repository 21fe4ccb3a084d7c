import { textMember } from '../../lib/json/json-member.ts';
import { type Button, payloadOf } from '../../model/button.ts';

/*
 * LINE's button actions. https://developers.line.biz/en/reference/messaging-api/#action-objects
 * LINE sends back the data of a pressed button, not its label, so the data holds both.
 */

export const MAX_POSTBACK_LENGTH = 300;
const MAX_URL_LENGTH = 1000;

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

const isLong = (button: Button) => writePress(button).length > MAX_POSTBACK_LENGTH;

export function actionsOf(buttons: readonly Button[]): object[] | { unsupported: string } {
  if (buttons.some(({ url = '' }) => url.length > MAX_URL_LENGTH)) {
    return { unsupported: `LINE accepts button URLs of at most ${MAX_URL_LENGTH} characters` };
  }
  if (buttons.some((button) => button.url === undefined && isLong(button))) {
    return {
      unsupported: `LINE accepts button values of at most ${MAX_POSTBACK_LENGTH} characters, with the name`,
    };
  }
  return buttons.map((button) => {
    const { name, url } = button;
    return url === undefined
      ? { type: 'postback', label: name, data: writePress(button), displayText: name }
      : { type: 'uri', label: name, uri: url };
  });
}
