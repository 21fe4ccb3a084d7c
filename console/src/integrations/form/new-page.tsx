import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';

import { fieldError } from '../../api/problem.ts';
import type { Channel, MessageOptions } from '../../api/types.ts';
import { LabelField } from '../../applications/label-field.tsx';
import { NotFoundPage } from '../../frame/not-found-page.tsx';
import { OptionFields } from '../../options/option-fields.tsx';
import { NO_OPTIONS, isEmpty } from '../../options/option-values.ts';
import { TrySandbox } from '../../sandbox/try-sandbox.tsx';
import { Card } from '../../ui/card.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Skeleton } from '../../ui/list/skeleton.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { ChannelFacts } from '../channel-facts.tsx';
import { ChannelMark } from '../channel-mark.tsx';
import { channelsQuery, checkCredentials, learnAccount, useCreateIntegration } from '../queries.ts';
import { LABEL_HELP } from '../rename.tsx';
import { CheckStatus } from './check-notice.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { useCredentialForm } from './credential-form.ts';
import { DisabledNotice, useMayChange } from './disabled-notice.tsx';
import { Disclosure } from './disclosure.tsx';
import { type Values, emptyFields, filledFields } from './fields.ts';
import { SetupGuide } from './guide.tsx';
import { useLiveCheck } from './live-check.ts';

export function NewIntegrationPage() {
  const { application, channel: name } = useParams({
    from: '/app/framed/applications/$application/integrations/new/$channel',
  });
  const { data: channels, error, refetch } = useQuery(channelsQuery);
  const channel = channels?.find((each) => each.name === name);
  if (channels && !channel) return <NotFoundPage />;
  return (
    <Page
      name={channel?.title ?? 'New integration'}
      title={
        <span className="flex items-center gap-3">
          <ChannelMark name={name} size="lg" />
          {channel?.title ?? <Skeleton className="w-40" />}
        </span>
      }
      crumb={
        <Link to="/app/applications/$application/integrations/new" params={{ application }}>
          Choose a channel
        </Link>
      }
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      <DisabledNotice />
      {channel && (
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
          <div className="lg:col-start-2 lg:row-start-1">
            <SetupGuide channel={channel} open />
          </div>
          <div className="grid min-w-0 gap-4 lg:row-span-2 lg:row-start-1">
            <TrySandbox application={Number(application)} channel={channel} />
            <NewForm application={Number(application)} channel={channel} />
          </div>
          <ChannelFacts channel={channel} />
        </div>
      )}
    </Page>
  );
}

function NewForm({ application, channel }: { application: number; channel: Channel }) {
  const form = useCredentialForm(channel);
  const [label, setLabel] = useState('');
  const [options, setOptions] = useState<MessageOptions>(NO_OPTIONS);
  const navigate = useNavigate();
  const create = useCreateIntegration(application, channel.name);
  const mayChange = useMayChange();
  const entered = filledFields(channel, form.credentialSet, form.values);
  const missing = emptyFields(channel, form.credentialSet, entered);
  const check = useMutation({
    mutationFn: () => checkCredentials(application, channel.name, entered),
  });
  const live = useLiveCheck({
    application,
    channel,
    values:
      mayChange && missing.length === 0 && channel.needs.flat().length > 0 ? entered : undefined,
  });

  const save = (credentials: Values, isAccepted: boolean) =>
    create.mutate(
      {
        ...credentials,
        ...(label.trim() !== '' && { label: label.trim() }),
        ...(!isEmpty(options) && { options }),
      },
      {
        onSuccess: ({ id }) => {
          if (isAccepted) learnAccount(application, id);
          toast.ok(`${channel.title} integration added`);
          const params = { application: String(application), integration: String(id) };
          void navigate({
            to: '/app/applications/$application/integrations/$integration',
            params,
            replace: true,
          });
        },
      },
    );

  /** Saves if the channel accepts the credentials or cannot be asked; otherwise the user decides. */
  const checkAndSave = () => {
    if (missing[0] !== undefined) return form.showMissing(missing[0]);
    if (live.result?.status === 'ok') return save({ ...entered, ...live.result.renewed }, true);
    check.mutate(undefined, {
      onSuccess: ({ status, renewed }) => {
        if (status !== 'ok' && status !== 'unknown') return;
        save({ ...entered, ...renewed }, status === 'ok');
      },
    });
  };

  const optionError = (name: string) => fieldError(create.error, `options/${name}`);
  const isBusy = check.isPending || create.isPending;
  const result = check.data ?? live.result;
  // Something may be added later through the API, so an incomplete integration can be saved too.
  const isDraft = form.isMissingShown && missing.length > 0;
  const canSaveAnyway =
    isDraft || (check.data && check.data.status !== 'ok' && check.data.status !== 'unknown');
  const saveAnyway = canSaveAnyway && (
    <Button
      data-testid="save-anyway"
      size="sm"
      busy={create.isPending}
      onClick={() => save({ ...entered, ...check.data?.renewed }, false)}
    >
      Save anyway
    </Button>
  );
  return (
    <Card className="p-5">
      <Form noValidate className="grid gap-5" onSubmit={checkAndSave}>
        <CredentialFields
          form={form}
          missing={missing}
          error={create.error ?? check.error}
          onEdit={check.reset}
        >
          <CheckStatus
            channel={channel}
            isChecking={live.isChecking || check.isPending}
            result={isDraft ? { status: 'incomplete', missing, detail: '' } : result}
            actions={saveAnyway}
          />
        </CredentialFields>
        <LabelField
          value={label}
          error={fieldError(create.error, 'label')}
          onValue={setLabel}
          help={LABEL_HELP}
        />
        {channel.options.length > 0 && (
          <Disclosure
            testId="default-options"
            title="Default options"
            help="Apply to every message through this integration, unless the message overrides them."
            forced={create.isError && channel.options.some(({ name }) => optionError(name))}
          >
            <OptionFields
              channel={channel}
              values={options}
              onChange={(changed) => {
                setOptions(changed);
                create.reset();
              }}
              errorOf={optionError}
            />
          </Disclosure>
        )}
        {(check.isError || create.isError) && <ProblemNotice error={create.error ?? check.error} />}
        <div className="flex flex-wrap gap-2 border-t border-line pt-4">
          <Button
            type="submit"
            data-testid="save"
            look="primary"
            busy={isBusy}
            disabled={!mayChange}
          >
            {channel.can.check && live.result?.status !== 'ok' ? 'Check and save' : 'Save'}
          </Button>
          <Button asChild>
            <Link
              to="/app/applications/$application/integrations"
              params={{ application: String(application) }}
            >
              Cancel
            </Link>
          </Button>
        </div>
      </Form>
    </Card>
  );
}
