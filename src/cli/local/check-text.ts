import type { TSchema } from 'typebox';

import { faultOf } from '../../http/object-lines.ts';
import { bodyCheck } from '../../http/server/validation.ts';
import { CliError, EXIT } from '../exit.ts';

/** Refuses a text that the API would refuse for such a field. */
export function checkText(what: string, text: string, schema: TSchema): void {
  try {
    bodyCheck(schema)(text);
  } catch (error) {
    throw new CliError(`${what} ${faultOf(error)}`, EXIT.usage);
  }
}
