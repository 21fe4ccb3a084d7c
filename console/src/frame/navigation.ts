import {
  Activity,
  Blocks,
  BookOpen,
  ChartLine,
  Contact,
  Cable,
  FileText,
  FlaskConical,
  type LucideIcon,
  History,
  Layers,
  MessagesSquare,
  Rocket,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  UserRound,
  Users,
} from 'lucide-react';

/* Destinations of the navigation and the palette. Each page is listed here once. */

export interface NavPage {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Additional search words. */
  keywords?: string;
  /** Keyboard sequence, such as `g m`. */
  keys?: string;
  /** Match the exact URL only: longer URLs belong to other pages. */
  exact?: boolean;
}

/** Pages of the current application; `$application` stands for its id. */
export const APPLICATION_PAGES: readonly NavPage[] = [
  {
    to: '/app/applications/$application/overview',
    label: 'Overview',
    icon: Activity,
    keywords: 'statistics charts problems queue latency health',
    keys: 'g o',
  },
  {
    to: '/app/applications/$application/conversations',
    label: 'Conversations',
    icon: MessagesSquare,
    keywords: 'inbox chats people replies unread received support',
    keys: 'g v',
  },
  {
    to: '/app/applications/$application/contacts',
    label: 'Contacts',
    icon: Contact,
    keywords: 'people persons customers addresses phone numbers external id',
    keys: 'g d',
  },
  {
    to: '/app/applications/$application/messages',
    label: 'Messages',
    icon: Send,
    keywords: 'log sent failed queue',
    keys: 'g m',
  },
  {
    to: '/app/applications/$application/integrations',
    label: 'Integrations',
    icon: Cable,
    keywords: 'channels credentials connect health',
    keys: 'g i',
  },
  {
    to: '/app/applications/$application/pools',
    label: 'Pools',
    icon: Layers,
    keywords: 'failover fallback providers members weights strategy',
    keys: 'g r',
  },
  {
    to: '/app/applications/$application/templates',
    label: 'Templates',
    icon: FileText,
    keywords: 'whatsapp twilio liquid languages versions approved',
    keys: 'g x',
  },
  {
    to: '/app/applications/$application/events',
    label: 'Events',
    icon: ScrollText,
    keywords: 'feed received webhook deliveries attempts recover inbound',
    keys: 'g e',
  },
  {
    to: '/app/applications/$application/consents',
    label: 'Consent',
    icon: ShieldCheck,
    keywords: 'opt-out stop unsubscribe marketing bounce suppressed blocked',
    keys: 'g c',
  },
  {
    to: '/app/applications/$application/playground',
    label: 'Playground',
    icon: FlaskConical,
    keywords: 'compose try dry run preview send test',
    keys: 'g p',
  },
  {
    to: '/app/applications/$application/settings',
    label: 'Settings',
    icon: Settings,
    keywords: 'application name webhook secret keys tokens rotate delete disable',
    keys: 'g ,',
  },
];

export const TEAM_PAGES: readonly NavPage[] = [
  {
    to: '/app/overview',
    label: 'Team overview',
    icon: ChartLine,
    keywords: 'statistics charts problems all applications',
    keys: 'g t',
  },
  {
    to: '/app/applications',
    label: 'Applications',
    icon: Blocks,
    keywords: 'all list new create',
    keys: 'g a',
    exact: true,
  },
  {
    to: '/app/team',
    label: 'Members',
    icon: Users,
    keywords: 'team people users invite invitation owner roles',
    keys: 'g u',
    exact: true,
  },
  {
    to: '/app/team/audit',
    label: 'Audit log',
    icon: History,
    keywords: 'who changed what changes security sign-ins',
    keys: 'g l',
  },
];

export const ACCOUNT: NavPage = {
  to: '/app/account',
  label: 'Account',
  icon: UserRound,
  keywords: 'own name email password profile sign out everywhere',
  keys: 'g y',
};

export const START: NavPage = {
  to: '/app/start',
  label: 'Guided start',
  icon: Rocket,
  keywords: 'begin first message tutorial quickstart',
  keys: 'g s',
};

/** Outside the console. */
export const REFERENCE = { href: '/docs', label: 'Documentation', icon: BookOpen };
