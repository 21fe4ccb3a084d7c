import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import {
  Blocks,
  BookOpen,
  Keyboard,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Send,
  Sun,
  UserPlus,
} from 'lucide-react';
import { type ReactNode, useDeferredValue, useState } from 'react';

import type { Integration } from '../api/types.ts';
import { applicationSearchQuery, useCurrentApplication } from '../applications/queries.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { channelAndId, integrationName } from '../integrations/integration-name.tsx';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { signOut, useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toast.tsx';
import { ACCOUNT, APPLICATION_PAGES, REFERENCE, START, TEAM_PAGES } from './navigation.ts';
import { openPalette } from './palette-state.ts';
import { Keys } from './shortcut-sheet.tsx';
import { type Theme, setTheme } from './theme.ts';

const close = () => openPalette(false);

/** Scores a match: every word must occur, and matches at the beginning of a word rank higher. */
function rank(value: string, search: string, keywords: string[] = []): number {
  const text = ` ${value} ${keywords.join(' ')}`.toLowerCase();
  const typed = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (!typed.every((word) => text.includes(word))) return 0;
  return typed.every((word) => text.includes(` ${word}`)) ? 1 : 0.5;
}

/** Finds pages, applications, integrations and messages, and runs global actions. */
export function Palette({ onShortcuts }: { onShortcuts(): void }) {
  const [text, setText] = useState('');
  const select = (run: () => unknown) => () => {
    close();
    run();
  };
  const id = /^#?(\d{1,16})$/.exec(text.trim())?.[1];
  return (
    <Dialog open onClose={close} title="Search and commands" bare width="md">
      <Command label="Search and commands" filter={rank} className="flex max-h-[70dvh] flex-col">
        <Command.Input
          value={text}
          onValueChange={setText}
          autoFocus
          placeholder="Search or run a command"
          className="w-full border-b border-line bg-transparent px-4 py-3.5 text-lg outline-none"
        />
        <Command.List className="min-h-0 flex-1 overflow-y-auto p-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-faint">
          <Command.Empty className="px-4 py-8 text-center text-ink-soft">No results</Command.Empty>
          {id !== undefined && <MessageById id={id} select={select} />}
          <Pages select={select} />
          <Applications text={text} select={select} />
          <Integrations select={select} />
          <Channels text={text} select={select} />
          <Commands select={select} onShortcuts={onShortcuts} />
          {text.trim() !== '' && <MessagesTo recipient={text.trim()} select={select} />}
        </Command.List>
      </Command>
    </Dialog>
  );
}

interface PartProps {
  select(run: () => unknown): () => void;
}

interface ItemProps {
  icon?: LucideIcon;
  mark?: ReactNode;
  value: string;
  keywords?: string[];
  keys?: string | undefined;
  /** Shown for any input. */
  always?: true;
  children: ReactNode;
  onSelect(): void;
}

function Item({ icon: Icon, mark, value, keywords, keys, always, children, onSelect }: ItemProps) {
  return (
    <Command.Item
      value={value}
      keywords={keywords ?? []}
      forceMount={always ?? false}
      onSelect={onSelect}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-2 text-sm data-[selected=true]:bg-hover"
    >
      {mark ?? (Icon && <Icon className="size-4 shrink-0 text-ink-faint" aria-hidden />)}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys !== undefined && <Keys keys={keys} />}
    </Command.Item>
  );
}

function MessageById({ id, select }: PartProps & { id: string }) {
  const navigate = useNavigate();
  const { current: application } = useCurrentApplication();
  if (!application) return null;
  const params = { application: String(application.id), message: id };
  return (
    <Item
      icon={Send}
      value={`#${id} message`}
      keywords={[id]}
      onSelect={select(() =>
        navigate({ to: '/app/applications/$application/messages/$message', params }),
      )}
    >
      Message {id} of {application.name}
    </Item>
  );
}

/** Any input may be a recipient. */
function MessagesTo({ recipient, select }: PartProps & { recipient: string }) {
  const navigate = useNavigate();
  const { current: application } = useCurrentApplication();
  if (!application) return null;
  return (
    <Item
      icon={Send}
      value="messages to a recipient"
      always
      onSelect={select(() =>
        navigate({
          to: '/app/applications/$application/messages',
          params: { application: String(application.id) },
          search: { to: recipient },
        }),
      )}
    >
      Messages to <strong className="font-medium">{recipient}</strong>
    </Item>
  );
}

function Pages({ select }: PartProps) {
  const navigate = useNavigate();
  const { current: application } = useCurrentApplication();
  const params = { application: String(application?.id ?? '') };
  const pages = [...(application ? APPLICATION_PAGES : []), ...TEAM_PAGES, ACCOUNT, START];
  return (
    <Command.Group heading="Go to">
      {pages.map(({ to, label, icon, keywords, keys }) => (
        <Item
          key={to}
          icon={icon}
          value={`go ${label}`}
          keywords={[label, ...(keywords?.split(' ') ?? [])]}
          keys={keys}
          onSelect={select(() => navigate({ to, params }))}
        >
          {label}
        </Item>
      ))}
      <Item
        icon={BookOpen}
        value={REFERENCE.label}
        keywords={['docs', 'openapi', 'help']}
        onSelect={select(() => window.open(REFERENCE.href, '_blank', 'noopener'))}
      >
        {REFERENCE.label}
      </Item>
    </Command.Group>
  );
}

/** The service searches them, because a team may have thousands. */
function Applications({ text, select }: PartProps & { text: string }) {
  const navigate = useNavigate();
  const { data } = useQuery(applicationSearchQuery(useDeferredValue(text.trim())));
  return (
    <Command.Group heading="Applications">
      {data?.items.map(({ id, name }) => (
        <Item
          key={id}
          icon={Blocks}
          value={`application ${name} ${id}`}
          onSelect={select(() =>
            navigate({
              to: '/app/applications/$application/messages',
              params: { application: String(id) },
            }),
          )}
        >
          {name}
        </Item>
      ))}
    </Command.Group>
  );
}

/** Other words that find an integration. */
function wordsOf({ name, account, username, address }: Integration): string[] {
  return [name, account, username, address].filter((word) => word !== undefined);
}

function Integrations({ select }: PartProps) {
  const navigate = useNavigate();
  const { current: application } = useCurrentApplication();
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: integrations = [] } = useQuery({
    ...integrationsQuery(application?.id ?? 0),
    enabled: application !== undefined,
  });
  if (!application || integrations.length === 0) return null;
  return (
    <Command.Group heading="Integrations">
      {integrations.map((integration) => (
        <Item
          key={integration.id}
          mark={<ChannelMark name={integration.name} />}
          value={`integration ${integrationName(integration, channels)} ${integration.id}`}
          keywords={wordsOf(integration)}
          onSelect={select(() =>
            navigate({
              to: '/app/applications/$application/integrations/$integration',
              params: { application: String(application.id), integration: String(integration.id) },
            }),
          )}
        >
          <span className="truncate">{integrationName(integration, channels)}</span>{' '}
          {(integration.label ?? integration.account) !== undefined && (
            <span className="text-ink-faint">{channelAndId(integration, channels)}</span>
          )}
        </Item>
      ))}
    </Command.Group>
  );
}

/** Only after typing, because there are many. */
function Channels({ text, select }: PartProps & { text: string }) {
  const navigate = useNavigate();
  const { current: application } = useCurrentApplication();
  const { data: channels = [] } = useQuery(channelsQuery);
  if (!application || text.trim().length < 2) return null;
  return (
    <Command.Group heading="Add integration">
      {channels.map(({ name, title, aliases, keywords }) => (
        <Item
          key={name}
          mark={<ChannelMark name={name} />}
          value={`add ${name} ${title}`}
          keywords={[...aliases, ...keywords, 'new', 'connect']}
          onSelect={select(() =>
            navigate({
              to: '/app/applications/$application/integrations/new/$channel',
              params: { application: String(application.id), channel: name },
            }),
          )}
        >
          Add {title}
        </Item>
      ))}
    </Command.Group>
  );
}

const THEMES: readonly { theme: Theme; label: string; icon: LucideIcon }[] = [
  { theme: 'light', label: 'Light theme', icon: Sun },
  { theme: 'dark', label: 'Dark theme', icon: Moon },
  { theme: 'system', label: 'System theme', icon: Monitor },
];

function Commands({ select, onShortcuts }: PartProps & { onShortcuts(): void }) {
  const navigate = useNavigate();
  const { user } = useSession();
  const leave = () => signOut().then(() => navigate({ to: '/sign-in' }), toast.error);
  return (
    <Command.Group heading="Commands">
      <Item
        icon={Plus}
        value="new application create"
        onSelect={select(() => navigate({ to: '/app/applications' }))}
      >
        New application
      </Item>
      {user.owns_team && (
        <Item
          icon={UserPlus}
          value="invite member"
          keywords={['team', 'user', 'add']}
          onSelect={select(() => navigate({ to: '/app/team', search: { invite: true } }))}
        >
          Invite member
        </Item>
      )}
      {THEMES.map(({ theme, label, icon }) => (
        <Item
          key={theme}
          icon={icon}
          value={label}
          keywords={['colors', 'mode']}
          onSelect={select(() => setTheme(theme))}
        >
          {label}
        </Item>
      ))}
      <Item icon={Keyboard} value="keyboard shortcuts" keys="?" onSelect={select(onShortcuts)}>
        Keyboard shortcuts
      </Item>
      <Item icon={LogOut} value="sign out" keywords={['log', 'leave']} onSelect={select(leave)}>
        Sign out
      </Item>
    </Command.Group>
  );
}
