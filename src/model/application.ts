import type { Id } from './id.ts';
import type { State } from './state.ts';
import type { Millis } from './timestamp.ts';

export const UNCERTAIN = ['resend', 'hold'] as const;

/**
 * What to do if a message may have been sent: `resend` it, for at-least-once delivery, or `hold` it for a person to
 * decide, for at-most-once delivery.
 */
export type Uncertain = (typeof UNCERTAIN)[number];

export interface Application {
  id: Id;
  teamId: Id;
  ownerId: Id;
  name: string;
  state: State;
  webhookUrl: string | null;
  uncertain: Uncertain;
  createdAt: Millis;
  updatedAt: Millis;
}

const ADJECTIVES =
  'amber brave brisk calm clear cosmic daring eager early fair gentle golden green happy humble icy jolly keen kind lively lucky mellow merry misty noble patient polite proud quick quiet rapid ready royal rustic sharp shiny silent silver smooth snowy solar steady still sunny swift tidy vivid warm wise witty'.split(
    ' ',
  );
const NOUNS =
  'anchor arrow badger beacon birch breeze brook canyon cedar cloud comet coral creek dawn delta dune ember falcon fern field finch forest garden glacier harbor haven heron island jasper lagoon lantern lark maple meadow meteor ocean orchid otter pebble pine planet prairie raven reef ridge river rocket sparrow spruce summit'.split(
    ' ',
  );

/**
 * A default name: two words and a number, joined by hyphens. `random` returns an integer from 0 up to, but not
 * including, its argument.
 */
export function generateName(random: (below: number) => number): string {
  return `${ADJECTIVES[random(ADJECTIVES.length)]}-${NOUNS[random(NOUNS.length)]}-${1000 + random(9000)}`;
}
