import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';

import { signOut, useSession } from '../session/session.ts';
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuSegments,
  MenuSeparator,
  MenuTrigger,
} from '../ui/floating/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { setTheme, useTheme } from './theme.ts';

export function UserMenu() {
  const { user, team, version } = useSession();
  const navigate = useNavigate();
  const theme = useTheme();

  async function signOutAndLeave(everywhere: boolean) {
    try {
      await signOut(everywhere);
      await navigate({ to: '/sign-in' });
    } catch (error) {
      toast.error(error);
    }
  }

  return (
    <Menu>
      <MenuTrigger className="mt-1 flex items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover data-[state=open]:bg-hover">
        <span
          aria-hidden
          className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text uppercase"
        >
          {initialOf(user.name)}
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm font-medium">{user.name}</span>
          <span className="block truncate text-xs text-ink-faint">{team.name}</span>
        </span>
        <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden />
      </MenuTrigger>
      <MenuContent side="top" className="w-60">
        <MenuLabel>{user.email}</MenuLabel>
        <MenuSegments
          label="Theme"
          value={theme}
          onChange={setTheme}
          options={[
            { value: 'light', icon: Sun, label: 'Light' },
            { value: 'dark', icon: Moon, label: 'Dark' },
            { value: 'system', icon: Monitor, label: 'System' },
          ]}
        />
        <MenuSeparator />
        <MenuItem data-testid="account" onSelect={() => void navigate({ to: '/app/account' })}>
          <UserRound aria-hidden />
          Account
        </MenuItem>
        <MenuItem onSelect={() => void signOutAndLeave(false)}>
          <LogOut aria-hidden />
          Sign out
        </MenuItem>
        <MenuItem data-testid="sign-out-everywhere" onSelect={() => void signOutAndLeave(true)}>
          <LogOut aria-hidden />
          Sign out everywhere
        </MenuItem>
        <MenuSeparator />
        <p className="px-2 py-1 text-xs text-ink-faint">Switchboard {version}</p>
      </MenuContent>
    </Menu>
  );
}

function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment ?? '?';
}
