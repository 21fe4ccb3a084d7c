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
    title: 'Add an integration',
    text: 'Telegram, email, SMS, Slack and more, with the same API call.',
  },
  {
    to: '/app/applications/$application/messages',
    icon: Send,
    title: 'View messages',
    text: 'Every message with its state, attempts and errors.',
  },
  {
    to: '/app/applications/$application/settings/webhook',
    icon: Webhook,
    title: 'Set up a webhook',
    text: 'Receive incoming messages and state changes.',
  },
  {
    to: '/app/applications/$application/settings/keys',
    icon: KeyRound,
    title: 'Create a signing key',
    text: 'Sign short-lived tokens in your own code.',
  },
];

export function NextSteps({ application }: { application: number }) {
  return (
    <nav aria-label="Next steps" className="grid gap-3 sm:grid-cols-2">
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
