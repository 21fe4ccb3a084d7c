import {
  Activity,
  Blocks,
  BookOpen,
  ChartLine,
  Cable,
  FlaskConical,
  type LucideIcon,
  History,
  Rocket,
  ScrollText,
  Send,
  Settings,
  UserRound,
  Users,
} from 'lucide-react';

/* Destinations of the navigation and the palette. Each page is listed here once. */

export interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Additional search words. */
  words?: string;
  /** Keyboard sequence, such as `g m`. */
  keys?: string;
  /** Match the exact URL only: longer URLs belong to other places. */
  exact?: boolean;
}

/** Pages of the current application; `$application` stands for its id. */
export const APPLICATION_PLACES: readonly Place[] = [
  {
    to: '/app/applications/$application/overview',
    label: 'Overview',
    icon: Activity,
    words: 'statistics charts problems queue latency health',
    keys: 'g o',
  },
  {
    to: '/app/applications/$application/messages',
    label: 'Messages',
    icon: Send,
    words: 'log sent failed queue',
    keys: 'g m',
  },
  {
    to: '/app/applications/$application/integrations',
    label: 'Integrations',
    icon: Cable,
    words: 'channels credentials connect health',
    keys: 'g i',
  },
  {
    to: '/app/applications/$application/events',
    label: 'Events',
    icon: ScrollText,
    words: 'feed received webhook deliveries attempts recover inbound',
    keys: 'g e',
  },
  {
    to: '/app/applications/$application/playground',
    label: 'Playground',
    icon: FlaskConical,
    words: 'compose try dry run preview send test',
    keys: 'g p',
  },
  {
    to: '/app/applications/$application/settings',
    label: 'Settings',
    icon: Settings,
    words: 'application name webhook secret keys tokens rotate delete disable',
    keys: 'g ,',
  },
];

export const TEAM_PLACES: readonly Place[] = [
  {
    to: '/app/overview',
    label: 'Team overview',
    icon: ChartLine,
    words: 'statistics charts problems all applications',
    keys: 'g t',
  },
  {
    to: '/app/applications',
    label: 'Applications',
    icon: Blocks,
    words: 'all list new create',
    keys: 'g a',
    exact: true,
  },
  {
    to: '/app/team',
    label: 'Members',
    icon: Users,
    words: 'team people users invite invitation owner roles',
    keys: 'g u',
    exact: true,
  },
  {
    to: '/app/team/audit',
    label: 'Audit log',
    icon: History,
    words: 'who changed what changes security sign-ins',
    keys: 'g l',
  },
];

export const ACCOUNT: Place = {
  to: '/app/account',
  label: 'Account',
  icon: UserRound,
  words: 'own name email password profile sign out everywhere',
  keys: 'g y',
};

export const START: Place = {
  to: '/app/start',
  label: 'Guided start',
  icon: Rocket,
  words: 'begin first message tutorial quickstart',
  keys: 'g s',
};

/** Outside the console. */
export const REFERENCE = { href: '/docs', label: 'Documentation', icon: BookOpen };
