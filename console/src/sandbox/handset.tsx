import { useQuery } from '@tanstack/react-query';
import { Ban, Hash, LogIn, LogOut, MoreVertical } from 'lucide-react';
import { useState } from 'react';

import { useFeed } from '../api/realtime.ts';
import type { Channel, Sandbox, SandboxMessage } from '../api/types.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { lookOf } from '../messages/look/look.ts';
import { cn } from '../ui/cn.ts';
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../ui/floating/menu.tsx';
import { Select } from '../ui/form/input.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { conversationQuery, refetchSoon, useAct } from './queries.ts';

interface HandsetProps {
  application: number;
  integration: number;
  channel: Channel | undefined;
  sandbox: Sandbox;
  /** The person or room whose conversation is shown. */
  address: string;
  onAddress(address: string): void;
  className?: string;
}

type Action = Sandbox['actions'][number];

/** The phone of a simulated person, or a room that several share. */
export function Handset(props: HandsetProps) {
  const { application, integration, channel, sandbox, address, onAddress, className } = props;
  const { data: messages, error } = useQuery(conversationQuery(application, integration, address));
  useFeed(useLiveApplication(application), () => refetchSoon(application, integration));
  const act = useAct(application, integration);
  const [answering, setAnswering] = useState<SandboxMessage>();
  const [speaker, setSpeaker] = useState<string>();
  const person = sandbox.people.find((each) => each.address === address);
  const isRoom = person?.room === true;
  const members = sandbox.people.filter(({ room }) => !room);
  const from = isRoom ? (speaker ?? members[0]?.address) : address;
  const who = { ...(from !== undefined && { from }), ...(isRoom && { room: address }) };
  const run = (action: string, body: object) =>
    act.mutate({ action, body }, { onError: toast.error });
  const can = (action: Action) => sandbox.actions.includes(action);
  const look = lookOf(channel);
  return (
    <section
      aria-label="Phone"
      data-testid="phone"
      className={cn(
        'grid grid-cols-[minmax(0,1fr)] overflow-hidden rounded-3xl border-4 border-line-strong bg-sunken',
        className,
      )}
    >
      <header className="flex items-center gap-2 border-b border-line bg-surface p-2">
        {isRoom && look === 'rows' && (
          <Hash className="ml-1 size-4 shrink-0 text-ink-soft" aria-hidden />
        )}
        <Select
          aria-label="Person or room"
          data-testid="person"
          className="min-w-0 flex-1"
          value={address}
          onChange={({ target }) => onAddress(target.value)}
        >
          {sandbox.people
            .filter((each) => !each.only_in_rooms)
            .map((each) => (
              <option key={each.address} value={each.address}>
                {each.name === each.address ? each.name : `${each.name} (${each.address})`}
              </option>
            ))}
        </Select>
        <PersonMenu
          can={can}
          isRoom={isRoom}
          isBlocked={person?.blocked === true}
          onMove={(action) => run(action, who)}
          onBlock={(blocked) => run('block', { from: address, blocked })}
        />
      </header>
      {/* Reversed, the box stays at its end while images load. */}
      <div
        data-scroller
        className="flex h-[clamp(20rem,60dvh,36rem)] flex-col-reverse overflow-y-auto"
      >
        <div className="mb-auto">
          {error && <ProblemNotice error={error} />}
          {messages?.length === 0 && (
            <p
              data-testid="no-messages"
              className="px-4 py-10 text-center text-sm wrap-anywhere text-ink-soft"
            >
              No messages yet. Send one to {address}.
            </p>
          )}
          {messages && (
            <Conversation
              application={application}
              integration={integration}
              look={look}
              name={person?.name ?? address}
              messages={messages}
              onPress={
                can('press')
                  ? (message, button) => run('press', { ...who, message: message.id, button })
                  : undefined
              }
              reports={sandbox.receipts}
              onReport={
                sandbox.receipts.length > 0
                  ? (message, state) => run('receipts', { message: message.id, state })
                  : undefined
              }
              onReact={
                can('react')
                  ? (message, emoji) => run('react', { ...who, message: message.id, emoji })
                  : undefined
              }
              onAnswer={can('message') ? setAnswering : undefined}
            />
          )}
        </div>
      </div>
      {can('message') && (
        <Composer
          busy={act.isPending}
          channel={channel}
          members={isRoom ? members : []}
          speaker={from}
          onSpeaker={setSpeaker}
          answering={answering}
          onCancel={() => setAnswering(undefined)}
          onSend={(content) => {
            run('reply', { ...who, ...content, ...(answering && { reply_to: answering.id }) });
            setAnswering(undefined);
          }}
        />
      )}
    </section>
  );
}

interface PersonMenuProps {
  can(action: Action): boolean;
  isRoom: boolean;
  isBlocked: boolean;
  onMove(action: 'join' | 'leave'): void;
  onBlock(isBlocked: boolean): void;
}

/** Actions of the person other than writing, as far as the vendor reports them. */
function PersonMenu({ can, isRoom, isBlocked, onMove, onBlock }: PersonMenuProps) {
  const mayBlock = !isRoom && can(isBlocked ? 'unblock' : 'block');
  if (!can('join') && !can('leave') && !mayBlock) return null;
  return (
    <Menu>
      <MenuTrigger
        aria-label="Actions of the person"
        title="Actions of the person"
        data-testid="person-actions"
        className="flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
      >
        <MoreVertical className="size-4" aria-hidden />
      </MenuTrigger>
      <MenuContent align="end">
        {can('join') && (
          <MenuItem data-testid="join" onSelect={() => onMove('join')}>
            <LogIn aria-hidden />
            {isRoom ? 'Join the room' : 'Start the conversation'}
          </MenuItem>
        )}
        {can('leave') && (
          <MenuItem data-testid="leave" onSelect={() => onMove('leave')}>
            <LogOut aria-hidden />
            {isRoom ? 'Leave the room' : 'End the conversation'}
          </MenuItem>
        )}
        {mayBlock && (
          <MenuItem
            data-testid="block"
            data-blocked={isBlocked}
            danger={!isBlocked}
            onSelect={() => onBlock(!isBlocked)}
          >
            <Ban aria-hidden />
            {isBlocked ? 'Unblock the sender' : 'Block the sender'}
          </MenuItem>
        )}
      </MenuContent>
    </Menu>
  );
}
