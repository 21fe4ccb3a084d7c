import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';

import { isNotFound } from '../api/problem.ts';
import { useApplicationId } from '../applications/application.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { ContentForm } from './content-form.tsx';
import { ChannelPreviews } from './previews.tsx';
import { deleteTemplate, forgetTemplate, templateQuery } from './queries.ts';
import { Versions } from './versions.tsx';

export function TemplatePage() {
  const application = useApplicationId();
  const { template } = useParams({
    from: '/app/framed/applications/$application/templates/$template',
  });
  const id = Number(template);
  const navigate = useNavigate();
  const [version, setVersion] = useState<number>();
  const [deleting, setDeleting] = useState(false);
  const { data, error, refetch } = useQuery(templateQuery(application, id, version));
  if (isNotFound(error)) return <NotFoundPage />;
  const home = {
    to: '/app/applications/$application/templates',
    params: { application: String(application) },
  } as const;
  return (
    <Page
      title={data?.name ?? 'Template'}
      crumb={<Link {...home}>Templates</Link>}
      actions={
        data && (
          <Button data-testid="delete" look="dangerQuiet" onClick={() => setDeleting(true)}>
            Delete template
          </Button>
        )
      }
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows />}
      {data && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="grid gap-4">
            <ContentForm
              key={`${data.version}`}
              application={application}
              template={data}
              onSaved={() => setVersion(undefined)}
            />
            <Section title="Versions">
              <Versions versions={data.versions} shown={data.version} onShow={setVersion} />
            </Section>
          </div>
          <ChannelPreviews key={data.version} application={application} template={data} />
        </div>
      )}
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete template?"
        action="Delete template"
        danger
        onConfirm={async () => {
          await deleteTemplate(application, id);
          await navigate(home);
          forgetTemplate(application, id);
        }}
      >
        New messages can no longer name it. Accepted messages are still sent.
      </Confirm>
    </Page>
  );
}
