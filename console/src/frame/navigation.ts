import { BookOpen, type LucideIcon, Rocket, Send } from 'lucide-react';

/* What the navigation and the palette lead to. A page is listed here once, when it is there. */

export interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Words by which it is found too. */
  words?: string;
  /** The keys that lead there, one after the other. */
  keys?: string;
}

/** Of the application that is looked at; `$application` stands for its id. */
export const APPLICATION_PLACES: readonly Place[] = [
  {
    to: '/app/applications/$application/messages',
    label: 'Messages',
    icon: Send,
    words: 'log sent failed queue',
    keys: 'g m',
  },
];

export const TEAM_PLACES: readonly Place[] = [];

export const START: Place = {
  to: '/app/start',
  label: 'Guided start',
  icon: Rocket,
  words: 'begin first message tutorial quickstart',
  keys: 'g s',
};

/** Outside of the console. */
export const REFERENCE = { href: '/docs', label: 'API reference', icon: BookOpen };
