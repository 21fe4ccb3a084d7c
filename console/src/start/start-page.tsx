import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

import { useFeed } from '../api/realtime.ts';
import type { Application, Integration } from '../api/types.ts';
import { useCreateApplication } from '../applications/create.tsx';
import {
  rememberApplication,
  useCurrentApplication,
  useLiveApplication,
} from '../applications/queries.ts';
import { textTo } from '../messages/snippets.ts';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { Input } from '../ui/form/input.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Page, linkClass } from '../ui/page.tsx';
import { ChooseChannel } from './choose-channel.tsx';
import { FirstMessage } from './first-message.tsx';
import { InCode } from './in-code.tsx';
import { NextSteps } from './next-steps.tsx';
import { RecipientPanel } from './recipient-panel.tsx';
import { Step } from './step.tsx';
import { type Answer, answerIn, useEarlierSteps, useTarget } from './target.ts';

/** The guided start: from an empty account to a delivered message. */
export function StartPage() {
  const { application: requested } = useSearch({ from: '/app/framed/start' });
  const { current } = useCurrentApplication(requested);
  return <Steps key={current?.id} current={current} />;
}

function Steps({ current }: { current: Application | undefined }) {
  const live = useLiveApplication(current?.id);
  const [chosen, setChosen] = useState<number>();
  const [person, setPerson] = useState<string>();
  const [isChoosing, setChoosing] = useState(false);
  const { target, isPending } = useTarget(current?.id, chosen, person);
  const [text, setText] = useState('Hello from Switchboard');
  const [sentNow, setSent] = useState<number>();
  const [answerNow, setAnswer] = useState<Answer>();
  const integration = target?.integration.id;
  const to = target?.to;
  useFeed(integration === undefined ? undefined : live, (event) => {
    if (integration === undefined || to === undefined) return;
    setAnswer((previous) => answerIn(event, integration, to) ?? previous);
  });
  const earlier = useEarlierSteps(current?.id, target);
  const sent = sentNow ?? earlier?.sent;
  const answer = answerNow ?? earlier?.answer;
  const isReady = current !== undefined && target !== undefined && !isChoosing;
  const results = [current, isReady ? target : undefined, sent];
  const all = target?.canAnswer === false ? results : [...results, answer];
  const done = all.filter((result) => result !== undefined).length;
  const begin = (created: Integration) => {
    setChosen(created.id);
    setPerson(undefined);
    setSent(undefined);
    setAnswer(undefined);
    setChoosing(false);
  };
  return (
    <Page
      title="Guided start"
      description="Send your first message on any channel, answer it on the phone, then do the same from your code. It needs no account."
      actions={
        <p
          data-testid="steps-done"
          data-done={done}
          className="py-1.5 text-sm text-ink-soft tabular"
        >
          {done === all.length ? 'All steps done' : `${done} of ${all.length} steps done`}
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
            title="Choose a channel"
            state={step(isReady, current !== undefined)}
            outcome={target?.channel?.title}
          >
            {isPending && <Skeleton className="w-1/2" />}
            {!isPending && current && !isReady && (
              <ChooseChannel application={current.id} onChosen={begin} />
            )}
            {isReady && (
              <Button size="sm" data-testid="choose-again" onClick={() => setChoosing(true)}>
                Choose another
              </Button>
            )}
          </Step>
          <Step
            number={3}
            title="Send a message"
            state={step(sent !== undefined && isReady, isReady)}
            outcome="Accepted"
          >
            {isReady && to !== undefined && (
              <FirstMessage
                key={target.integration.id}
                application={current.id}
                integration={target.integration.id}
                to={to}
                text={text}
                onText={setText}
                onSent={setSent}
              />
            )}
          </Step>
          {target?.canAnswer !== false && (
            <Step
              number={4}
              title={target?.sandbox ? 'Answer on the phone' : 'Answer in the chat'}
              state={step(answer !== undefined && isReady, isReady && sent !== undefined)}
              outcome="Received"
            >
              <Received answer={answer} application={current?.id} />
            </Step>
          )}
          <Step
            title="Send from your code"
            state={isReady ? 'now' : 'later'}
            className="max-xl:order-2"
          >
            {isReady && to !== undefined && (
              <InCode application={current.id} activity={textTo(target.integration.id, to, text)} />
            )}
          </Step>
          {isReady && (
            <li className="max-xl:order-3">
              <NextSteps application={current.id} />
            </li>
          )}
        </ol>
        <div className="max-xl:order-1 xl:sticky xl:top-5">
          <RecipientPanel
            application={current?.id}
            target={isChoosing ? undefined : target}
            onPerson={setPerson}
          />
        </div>
      </div>
    </Page>
  );
}

/** The event of the reply, as a program receives it. */
function Received({
  answer,
  application,
}: {
  answer: Answer | undefined;
  application: number | undefined;
}) {
  if (!answer || application === undefined) {
    return (
      <p className="text-pretty text-ink-soft">
        Write an answer as the recipient. Your application receives it as an event by webhook, feed
        or WebSocket.
      </p>
    );
  }
  const { event, text } = answer;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-ink-soft">
        They wrote{' '}
        <q data-testid="answer-text" className="font-medium wrap-anywhere text-ink">
          {text}
        </q>
        . Your webhook gets{' '}
        <Link
          to="/app/applications/$application/events/$event"
          params={{ application: String(application), event: String(event.id) }}
          className={linkClass}
        >
          event {event.id}
        </Link>
        :
      </p>
      <Code language="json" text={JSON.stringify(event, null, 2)} />
    </div>
  );
}

const step = (isDone: boolean, mayBegin: boolean) => (isDone ? 'done' : mayBegin ? 'now' : 'later');

function NewApplication() {
  const navigate = useNavigate();
  const create = useCreateApplication();
  const [name, setName] = useState('my-first-app');
  return (
    <Form
      className="grid gap-3"
      onSubmit={() =>
        create.mutate(name, {
          onSuccess: ({ id }) => {
            rememberApplication(id);
            void navigate({ to: '/app/start', search: { application: id }, replace: true });
          },
        })
      }
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
    </Form>
  );
}
