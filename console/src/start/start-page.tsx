import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

import { useFeed } from '../api/realtime.ts';
import type { Application } from '../api/types.ts';
import { useCreateApplication } from '../applications/create.tsx';
import {
  rememberApplication,
  useCurrentApplication,
  useLiveApplication,
} from '../applications/queries.ts';
import { textTo } from '../messages/snippets.ts';
import { Button } from '../ui/form/button.tsx';
import { Input } from '../ui/form/input.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { ChatPanel, NoChat } from './chat-panel.tsx';
import { replyIn, useCreateTestChat, useEarlierSteps, useTestChat } from './chat.ts';
import { FirstMessage } from './first-message.tsx';
import { VISITOR } from './identity.ts';
import { InCode } from './in-code.tsx';
import { NextSteps } from './next-steps.tsx';
import { Step } from './step.tsx';

const STEP_COUNT = 4;

/** The guided start: from an empty account to a delivered message. */
export function StartPage() {
  const { application: requested } = useSearch({ from: '/app/framed/start' });
  const { current } = useCurrentApplication(requested);
  return <Steps key={current?.id} current={current} />;
}

function Steps({ current }: { current: Application | undefined }) {
  const live = useLiveApplication(current?.id);
  const { chat, isPending } = useTestChat(current?.id);
  const [text, setText] = useState('Hello from Switchboard');
  const [sentNow, setSent] = useState<number>();
  const [replyNow, setReply] = useState<string>();
  useFeed(chat && live, (event) => setReply((known) => replyIn(event) ?? known));
  const earlier = useEarlierSteps(current?.id, chat?.id);
  const sent = sentNow ?? earlier?.sent;
  const reply = replyNow ?? earlier?.reply;
  const done = [current, chat, sent, reply].filter((result) => result !== undefined).length;
  return (
    <Page
      title="Guided start"
      description="Send your first message in four steps, then do the same from your code."
      actions={
        <p
          data-testid="steps-done"
          data-done={done}
          className="py-1.5 text-sm text-ink-soft tabular"
        >
          {done === STEP_COUNT ? 'All steps done' : `${done} of ${STEP_COUNT} steps done`}
        </p>
      }
    >
      {current?.state === 'disable' && (
        <Notice tone="warn" className="mb-4" title={`${current.name} is disabled`}>
          Enable it in its settings, or choose another application at the top left.
        </Notice>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 xl:grid-cols-[minmax(0,1fr)_24rem] xl:gap-6">
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-3 max-xl:contents">
          <Step
            number={1}
            title="Create an application"
            state={step(current !== undefined, true)}
            outcome={current?.name}
          >
            {current === undefined && <NewApplication />}
          </Step>
          <Step
            number={2}
            title="Add an integration"
            state={step(chat !== undefined, current !== undefined)}
            outcome="Web chat"
          >
            {isPending ? (
              <Skeleton className="w-1/2" />
            ) : (
              current && !chat && <NewChat application={current.id} />
            )}
          </Step>
          <Step
            number={3}
            title="Send a message"
            state={step(sent !== undefined, chat !== undefined)}
            outcome="Accepted"
          >
            {current && chat && (
              <FirstMessage
                application={current.id}
                integration={chat.id}
                text={text}
                onText={setText}
                onSent={setSent}
              />
            )}
          </Step>
          <Step
            number={4}
            title="Reply in the chat"
            state={step(reply !== undefined, sent !== undefined)}
            outcome="Received"
          >
            {reply === undefined ? (
              <p className="text-pretty text-ink-soft">
                Write a message in the test chat. Your application receives it as an event by
                webhook, feed or WebSocket.
              </p>
            ) : (
              <p className="text-ink-soft">
                The visitor wrote{' '}
                <q data-testid="answer" className="font-medium wrap-anywhere text-ink">
                  {reply}
                </q>
              </p>
            )}
          </Step>
          <Step
            title="Send from your code"
            state={chat ? 'now' : 'later'}
            className="max-xl:order-2"
          >
            {current && chat && (
              <InCode application={current.id} activity={textTo(chat.id, VISITOR, text)} />
            )}
          </Step>
          {current && chat && (
            <li className="max-xl:order-3">
              <NextSteps application={current.id} />
            </li>
          )}
        </ol>
        <div className="max-xl:order-1 xl:sticky xl:top-5">
          {current && chat ? (
            <ChatPanel application={current.id} integration={chat.id} />
          ) : (
            <NoChat />
          )}
        </div>
      </div>
    </Page>
  );
}

const step = (isDone: boolean, mayBegin: boolean) => (isDone ? 'done' : mayBegin ? 'now' : 'later');

function NewApplication() {
  const navigate = useNavigate();
  const create = useCreateApplication();
  const [name, setName] = useState('my-first-app');
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(name, {
          onSuccess: ({ id }) => {
            rememberApplication(id);
            void navigate({ to: '/app/start', search: { application: id }, replace: true });
          },
        });
      }}
    >
      <p className="text-pretty text-ink-soft">
        An application has its own integrations, messages, keys and webhook.
      </p>
      <div className="flex gap-2">
        <Input
          data-testid="name"
          aria-label="Application name"
          value={name}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
        <Button
          type="submit"
          data-testid="create"
          look="primary"
          busy={create.isPending}
          className="max-sm:h-10"
        >
          Create application
        </Button>
      </div>
      {create.isError && <ProblemNotice error={create.error} />}
    </form>
  );
}

function NewChat({ application }: { application: number }) {
  const create = useCreateTestChat(application);
  return (
    <div className="grid gap-3">
      <p className="text-pretty text-ink-soft">
        An integration connects the application to a channel. The built-in web chat needs no
        credentials, so start with it.
      </p>
      <div>
        <Button
          data-testid="add-chat"
          look="primary"
          busy={create.isPending}
          onClick={() => create.mutate()}
        >
          Add web chat
        </Button>
      </div>
      {create.isError && <ProblemNotice error={create.error} />}
    </div>
  );
}
