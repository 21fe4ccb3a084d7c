import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Eraser, Send } from 'lucide-react';

import { ApiProblem } from '../api/problem.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { integrationName } from '../integrations/integration-name.tsx';
import { channelsQuery, integrationQuery } from '../integrations/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { Faults } from './faults.tsx';
import { Handset } from './handset.tsx';
import { sandboxQuery, useAct } from './queries.ts';
import { SandboxBadge } from './sandbox-badge.tsx';

const FROM = '/app/framed/applications/$application/integrations/$integration/phone';

/** The phones of the simulated people of a sandbox integration. */
export function PhonePage() {
  const params = useParams({ from: FROM });
  const { with: chosen } = useSearch({ from: FROM });
  const navigate = useNavigate({
    from: '/app/applications/$application/integrations/$integration/phone',
  });
  const application = Number(params.application);
  const id = Number(params.integration);
  const { data: integration } = useQuery(integrationQuery(application, id));
  const { data: channels } = useQuery(channelsQuery);
  const { data: sandbox, error } = useQuery(sandboxQuery(application, id));
  const act = useAct(application, id);
  if (error instanceof ApiProblem && (error.status === 404 || error.code === 'not_sandbox')) {
    return <NotFoundPage />;
  }
  const name = integration && integrationName(integration, channels);
  const address = chosen ?? sandbox?.people.find((each) => !each.only_in_rooms)?.address;
  return (
    <Page
      name={`Phone of ${name ?? 'an integration'}`}
      crumb={
        <Link to="/app/applications/$application/integrations/$integration" params={params}>
          {name ?? 'Integration'}
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-3">
          Phone
          {integration && <SandboxBadge integration={integration} />}
        </span>
      }
      description="Messages as people would see them, drawn from the requests that the simulated vendor received."
      actions={
        <>
          <Button asChild look="primary">
            <Link
              to="/app/applications/$application/playground"
              params={{ application: params.application }}
              search={{ integration: id, ...(address !== undefined && { to: address }) }}
            >
              <Send aria-hidden />
              Send message
            </Link>
          </Button>
          <Button
            data-testid="reset"
            busy={act.isPending && act.variables.action === 'reset'}
            onClick={() => act.mutate({ action: 'reset', body: {} }, { onError: toast.error })}
          >
            <Eraser aria-hidden />
            Reset
          </Button>
        </>
      }
    >
      {error && <ProblemNotice error={error} />}
      {sandbox && address !== undefined ? (
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
          <Handset
            key={`${id}/${address}`}
            className="lg:sticky lg:top-4"
            application={application}
            integration={id}
            channel={channels?.find((each) => each.name === integration?.name)}
            sandbox={sandbox}
            address={address}
            onAddress={(to) => void navigate({ search: { with: to } })}
          />
          <Faults application={application} integration={id} sandbox={sandbox} />
        </div>
      ) : (
        !error && <Skeleton className="h-96 rounded-lg" />
      )}
    </Page>
  );
}
