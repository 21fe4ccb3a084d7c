import { Link } from '@tanstack/react-router';
import { Cable, KeyRound, type LucideIcon, Send, Webhook } from 'lucide-react';

interface Step {
  to: string;
  icon: LucideIcon;
  title: string;
  text: string;
}

const STEPS: readonly Step[] = [
  {
    to: '/app/applications/$application/integrations/new',
    icon: Cable,
    title: 'Connect a channel',
    text: 'Telegram, mail, SMS, Slack and many more take the same call.',
  },
  {
    to: '/app/applications/$application/messages',
    icon: Send,
    title: 'Look at the log',
    text: 'Every message with its attempts, and why one waits or failed.',
  },
  {
    to: '/app/applications/$application/settings/webhook',
    icon: Webhook,
    title: 'Receive answers',
    text: 'Give it a webhook, and what people write is posted there.',
  },
  {
    to: '/app/applications/$application/settings/keys',
    icon: KeyRound,
    title: 'Make a key',
    text: 'Your service signs its own tokens with it.',
  },
];

export function NextSteps({ application }: { application: number }) {
  return (
    <nav aria-label="Where to go on" className="grid gap-3 sm:grid-cols-2">
      {STEPS.map(({ to, icon: Icon, title, text }) => (
        <Link
          key={to}
          to={to}
          params={{ application: String(application) }}
          className="flex gap-3 rounded-lg border border-line bg-surface p-4 hover:border-line-strong hover:bg-hover"
        >
          <Icon className="mt-0.5 size-4 shrink-0 text-accent-text" aria-hidden />
          <span>
            <span className="block font-medium">{title}</span>
            <span className="block text-sm text-pretty text-ink-soft">{text}</span>
          </span>
        </Link>
      ))}
    </nav>
  );
}
