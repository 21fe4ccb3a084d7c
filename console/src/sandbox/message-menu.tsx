import { Check, CheckCheck, CircleX, CornerUpLeft, MoreHorizontal } from 'lucide-react';

import type { SandboxMessage } from '../api/types.ts';
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuSeparator,
  MenuTrigger,
} from '../ui/floating/menu.tsx';

/** Actions of the person on a message. A function is undefined if the vendor does not report the action. */
export interface PersonActions {
  /** The delivery reports that the vendor sends. */
  reports: readonly NonNullable<SandboxMessage['status']>[];
  onAnswer?: ((message: SandboxMessage) => void) | undefined;
  onReact?: ((message: SandboxMessage, emoji: string) => void) | undefined;
  onReport?:
    | ((message: SandboxMessage, state: NonNullable<SandboxMessage['status']>) => void)
    | undefined;
}

const EMOJI = ['👍', '❤️', '😂', '🎉', '😢', '🙏'];

const REPORTS = [
  { state: 'delivered', label: 'Mark as delivered', icon: Check },
  { state: 'read', label: 'Mark as read', icon: CheckCheck },
  { state: 'failed', label: 'Mark as failed', icon: CircleX },
] as const;

export function MessageMenu({
  message,
  reports,
  onAnswer,
  onReact,
  onReport,
}: PersonActions & { message: SandboxMessage }) {
  if (message.deleted || (!onAnswer && !onReact && !onReport)) return null;
  return (
    <Menu>
      <MenuTrigger
        aria-label="Message actions"
        title="Message actions"
        data-testid="message-actions"
        className="flex size-7 items-center justify-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
      >
        <MoreHorizontal className="size-4" aria-hidden />
      </MenuTrigger>
      <MenuContent>
        {onAnswer && (
          <MenuItem data-testid="quote-message" onSelect={() => onAnswer(message)}>
            <CornerUpLeft aria-hidden />
            Reply
          </MenuItem>
        )}
        {onReport &&
          REPORTS.filter(({ state }) => reports.includes(state)).map(
            ({ state, label, icon: Icon }) => (
              <MenuItem
                key={state}
                data-testid={`report-${state}`}
                onSelect={() => onReport(message, state)}
              >
                <Icon aria-hidden />
                {label}
              </MenuItem>
            ),
          )}
        {onReact && (
          <>
            {(onAnswer ?? onReport) && <MenuSeparator />}
            <MenuLabel>React</MenuLabel>
            <div className="flex">
              {EMOJI.map((emoji) => (
                <MenuItem
                  key={emoji}
                  data-testid="react"
                  aria-label={`React with ${emoji}`}
                  className="text-base"
                  onSelect={() => onReact(message, emoji)}
                >
                  {emoji}
                </MenuItem>
              ))}
            </div>
          </>
        )}
      </MenuContent>
    </Menu>
  );
}
