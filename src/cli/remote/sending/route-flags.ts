import type { Outgoing } from '../../../../sdk/src/index.ts';
import { CONDITIONS } from '../../../model/sending/message-route.ts';
import { CliError, EXIT } from '../../exit.ts';
import { flagParts } from './flag-parts.ts';

/** `--route whatsapp,until=read,after=PT2M --route pool:sms,to=+4915112345678` */
export function routesOf(texts: readonly string[]): Pick<Outgoing, 'routes'> {
  if (texts.length === 0) return {};
  const routes = texts.map((text) => {
    const { head, values } = flagParts('--route', text, ['until', 'after', 'to']);
    const { until: wanted, after, to } = values;
    const until = CONDITIONS.find((one) => one === wanted);
    if (wanted !== undefined && !until) {
      const expected = CONDITIONS.join(', ');
      throw new CliError(`--route ${text}: until is one of ${expected}`, EXIT.usage);
    }
    return {
      ...(head !== '' && { via: head }),
      ...(to !== undefined && { to }),
      ...(until && { until }),
      ...(after !== undefined && { after }),
    };
  });
  return { routes };
}
