import { CHANNELS, CHANNEL_NAMES, RETIRED } from '../channels/index.ts';
import { similarNames } from '../lib/text/similar-names.ts';
import { Problem } from '../model/problem.ts';

const MAX_SUGGESTIONS = 3;
const MAX_SHOWN_LENGTH = 100;

const NAMES = CHANNELS.flatMap(({ name, aliases = [] }) => [name].concat(aliases));

/** Names and aliases similar to `name`, closest first. */
function nearestChannels(name: string): string[] {
  return similarNames(name.trim().toLowerCase(), NAMES).slice(0, MAX_SUGGESTIONS);
}

/**
 * The error for an unknown channel name at `pointer`. It suggests similar channels, or lists all of them if
 * `listAll` is set or none is similar; for a retired channel, it names the replacement.
 */
export function unknownChannel(name: string, pointer: string, listAll = false): Problem {
  const suggestions = nearestChannels(name);
  const sentences = [
    ...(suggestions.length > 0 ? [`did you mean ${suggestions.join(' or ')}?`] : []),
    ...(listAll || suggestions.length === 0 ? [`must be one of: ${CHANNEL_NAMES.join(', ')}`] : []),
  ];
  const detail = RETIRED.get(name.trim().toLowerCase()) ?? sentences.join(' ');
  const shown = name.slice(0, MAX_SHOWN_LENGTH);
  return new Problem('unknown_channel', `unknown channel "${shown}": ${detail}`, {
    errors: [{ pointer, detail }],
  });
}
