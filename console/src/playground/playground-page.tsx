import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Eye, PlugZap, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { ApiProblem, fieldError, sentence } from '../api/problem.ts';
import type { Preview } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { integrationsQuery } from '../integrations/queries.ts';
import { sendMessage } from '../messages/queries.ts';
import { asCurl } from '../messages/snippets.ts';
import { OptionFields } from '../options/option-fields.tsx';
import { useSession } from '../session/session.ts';
import { Card, Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { CopyButton } from '../ui/form/copy.tsx';
import { Textarea } from '../ui/form/input.tsx';
import { Segments } from '../ui/form/toggle.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { ComposeForm } from './compose-form.tsx';
import { textAt, writeDraft } from './draft.ts';
import { type Composed, type DryRunState, bodyOf, dryRunQuery } from './dry-run.ts';
import { Follow } from './follow.tsx';
import { InstructionFields } from './instruction-fields.tsx';
import { instructionsOf } from './instructions.ts';
import { PreviewDetail, PreviewLine } from './preview.tsx';
import { RouteFields } from './route-fields.tsx';
import { type Draft, useComposed, useDraft } from './use-draft.ts';

/** Maximum number of other integrations to compare with. */
const MAX_COMPARED = 12;

/** Composes, previews, sends and follows a message. */
export function PlaygroundPage() {
  const application = useApplicationId();
  const integrations = useQuery(integrationsQuery(application));
  return (
    <Page
      title="Playground"
      description="Compose a message, preview the request to each channel, then send it and follow its state."
    >
      {integrations.isLoadingError ? (
        <ProblemNotice error={integrations.error} onRetry={() => void integrations.refetch()} />
      ) : integrations.data === undefined ? (
        <Skeleton className="h-96 rounded-lg" />
      ) : integrations.data.length === 0 ? (
        <NoIntegration application={application} />
      ) : (
        // Reset for each application, because integrations differ.
        <Composer key={application} application={application} />
      )}
    </Page>
  );
}

function Composer({ application }: { application: number }) {
  const { public_url: url } = useSession();
  const draft = useDraft(application);
  const { activity, options, instructionDraft } = draft;
  const instructions = instructionsOf(instructionDraft);
  const { composed, isReady, isSettled } = useComposed(draft);
  const dryRun = useQuery({
    ...dryRunQuery(application, composed ?? { activity: {} }),
    enabled: isReady,
  });
  const send = useMutation({
    mutationFn: (message: Composed) => sendMessage(application, bodyOf(message)),
  });
  // An error of the last send is shown only while the text is the one that was sent.
  const isLastSent =
    activity !== undefined &&
    JSON.stringify(send.variables) === JSON.stringify({ activity, options, instructions });
  // Send is enabled only if the dry run accepted exactly this text.
  const isRefused = dryRun.error instanceof ApiProblem || dryRun.data?.ready === false;
  const isChecked = dryRun.isError || (dryRun.data !== undefined && !dryRun.isPlaceholderData);
  const canSend = activity !== undefined && isReady && isSettled && isChecked && !isRefused;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Editor application={application} draft={draft} dryRun={dryRun} sendError={send.error}>
        {send.isError && isLastSent && <ProblemNotice error={send.error} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            data-testid="send"
            look="primary"
            busy={send.isPending}
            disabled={!canSend}
            onClick={() => activity && send.mutate({ activity, options, instructions })}
          >
            <Send aria-hidden />
            Send message
          </Button>
          {activity && (
            <CopyButton
              labeled
              size="md"
              label="Copy as curl"
              text={asCurl({ url, activity, options, instructions })}
            />
          )}
        </div>
      </Editor>
      <div className="grid gap-4">
        {send.data && <Follow application={application} id={send.data.id} />}
        {composed && isReady ? (
          <DryRun application={application} composed={composed} />
        ) : (
          <Card>
            <Empty testId="no-preview" icon={Eye} title="No preview yet" className="py-10">
              Enter a recipient and a text to preview the request to the channel.
            </Empty>
          </Card>
        )}
      </div>
    </div>
  );
}

interface EditorProps {
  application: number;
  draft: Draft;
  dryRun: DryRunState;
  sendError: unknown;
  /** Shown below the fields. */
  children: ReactNode;
}

/** The message as a form or as JSON, with the fields beside the activity. */
function Editor({ application, draft, dryRun, sendError, children }: EditorProps) {
  const [view, setView] = useState<'form' | 'json'>('form');
  const { integrations, chosen, channel, text, setText, activity, parseError } = draft;
  const { options, setOptions, instructionDraft, setInstructionDraft } = draft;
  return (
    <Section
      title="Message"
      actions={
        <Segments
          label="Editor"
          value={view}
          onChange={setView}
          options={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      }
    >
      <div className="grid gap-4">
        {view === 'json' ? (
          <Textarea
            data-testid="json"
            aria-label="Activity as JSON"
            aria-invalid={parseError === undefined ? undefined : true}
            className="min-h-96 font-mono text-xs leading-5"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        ) : (
          activity && (
            <ComposeForm
              activity={activity}
              integrations={integrations}
              onChange={(changed) => setText(writeDraft(changed))}
            />
          )
        )}
        {channel && chosen && (
          <>
            <InstructionFields
              application={application}
              integration={chosen.id}
              channel={channel}
              value={instructionDraft}
              dryRun={dryRun}
              onChange={setInstructionDraft}
            />
            <RouteFields
              application={application}
              integrations={integrations}
              value={instructionDraft.routes}
              dryRun={dryRun}
              onChange={(routes) => setInstructionDraft({ ...instructionDraft, routes })}
            />
          </>
        )}
        {channel && channel.options.length > 0 && (
          <fieldset className="grid gap-4">
            <legend className="mb-3 w-full border-b border-line pb-1.5 text-sm font-semibold">
              Options of {channel.title}
            </legend>
            <OptionFields
              channel={channel}
              values={options}
              defaults={chosen?.options}
              onChange={setOptions}
              errorOf={(name) => optionError(name, dryRun.data, dryRun.error ?? sendError)}
            />
          </fieldset>
        )}
        {parseError !== undefined && (
          <Notice testId="invalid-json" tone="bad" role="alert" title="Invalid JSON">
            {parseError}
          </Notice>
        )}
        {children}
      </div>
    </Section>
  );
}

/** The error of an option, from the dry run or from sending. */
function optionError(name: string, preview: Preview | undefined, error: unknown) {
  const found = preview?.error?.errors.find(({ pointer }) => pointer === `/options/${name}`);
  return found ? sentence(found.detail) : fieldError(error, `options/${name}`);
}

function DryRun({ application, composed }: { application: number; composed: Composed }) {
  const { data, error } = useQuery(dryRunQuery(application, composed));
  return (
    <>
      <Section
        title="Preview"
        description="The request to the channel, without credentials. A preview sends nothing."
      >
        {error ? (
          <ProblemNotice error={error} />
        ) : data ? (
          <PreviewDetail application={application} preview={data} />
        ) : (
          <Skeleton className="h-32 w-full" />
        )}
      </Section>
      <OtherIntegrations application={application} composed={composed} />
    </>
  );
}

/** Previews of the same message through the other integrations, with their default options. */
function OtherIntegrations({
  application,
  composed: { activity, instructions },
}: {
  application: number;
  composed: Composed;
}) {
  const { data: integrations = [] } = useQuery(integrationsQuery(application));
  const others = integrations
    .filter(
      ({ id, state }) => state === 'enable' && String(id) !== textAt(activity, 'generator', 'id'),
    )
    .slice(0, MAX_COMPARED);
  const { routes: _, ...withoutRoutes } = instructions ?? {};
  const runs = useQueries({
    queries: others.map(({ id }) =>
      dryRunQuery(application, { activity, instructions: withoutRoutes }, id),
    ),
  });
  // A template of one vendor is unknown to the others.
  const shown = runs.flatMap(({ data }) =>
    data && data.error?.code !== 'template_refused' ? [data] : [],
  );
  if (shown.length === 0) return null;
  return (
    <Section title="Other integrations">
      <ul className="grid gap-2">
        {shown.map((preview) => (
          <li key={preview.integration_id}>
            <PreviewLine application={application} preview={preview} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function NoIntegration({ application }: { application: number }) {
  return (
    <Card>
      <Empty
        testId="no-integrations"
        icon={PlugZap}
        title="Add an integration first"
        actions={
          <Button asChild look="primary">
            <Link to="/app/start" search={{ application }}>
              Add web chat
            </Link>
          </Button>
        }
      >
        Messages are sent through integrations, and this application has none. The guided start adds
        a web chat, which needs no credentials.
      </Empty>
    </Card>
  );
}
