import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * A phone number in E.164 format, given with `+` and country code: `+44 (0)7911 123456` is `+447911123456`. Anything that
 * cannot be a number of its country stays as it is: short codes, vendors' test numbers, ids.
 */
export function normalPhoneNumber(text: string): string {
  const number = parsePhoneNumberFromString(text, { extract: false });
  return number?.isPossible() ? number.number : text;
}
