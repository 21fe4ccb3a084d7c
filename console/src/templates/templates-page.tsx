import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { FileText, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import type { Template } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page, linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { CreateTemplate } from './create.tsx';
import { templatesQuery } from './queries.ts';
import { VendorTemplateSection } from './vendor-templates.tsx';

export function TemplatesPage() {
  const application = useApplicationId();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const { data: integrations = [] } = useQuery(integrationsQuery(application));
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: templates } = useQuery(templatesQuery(application));
  const hasTemplates = (name: string) =>
    channels.some((channel) => channel.name === name && channel.can.templates);
  const create = (
    <Button data-testid="create" look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      New template
    </Button>
  );
  return (
    <Page
      title="Templates"
      description="Texts with parameters: your own for every channel, and those that vendors approved."
      // An empty list has the button itself.
      actions={templates?.length !== 0 && create}
    >
      <div className="grid gap-4">
        <OwnTemplates application={application} create={create} />
        {integrations
          .filter(({ name }) => hasTemplates(name))
          .map((integration) => (
            <VendorTemplateSection
              key={integration.id}
              application={application}
              integration={integration}
            />
          ))}
      </div>
      {creating && (
        <CreateTemplate
          application={application}
          onClose={() => setCreating(false)}
          onCreated={({ id }) => {
            setCreating(false);
            void navigate({
              to: '/app/applications/$application/templates/$template',
              params: { application: String(application), template: String(id) },
            });
          }}
        />
      )}
    </Page>
  );
}

function OwnTemplates({ application, create }: { application: number; create: ReactNode }) {
  const { data, error, isPending, refetch } = useQuery(templatesQuery(application));
  return (
    <Section title="Your templates" flush testId="own-templates">
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows />}
      {data?.length === 0 && (
        <Empty testId="no-templates" icon={FileText} title="No templates yet" actions={create}>
          Write a text once, in several languages, and send it on every channel.
        </Empty>
      )}
      {data && data.length > 0 && <TemplateTable application={application} templates={data} />}
    </Section>
  );
}

interface TemplateTableProps {
  application: number;
  templates: readonly Template[];
}

function TemplateTable({ application, templates }: TemplateTableProps) {
  return (
    <Table
      label="Your templates"
      head={
        <>
          <Th>Name</Th>
          <Th>Languages</Th>
          <Th className="text-right">Version</Th>
          <Th className="text-right max-sm:hidden">Changed</Th>
        </>
      }
    >
      {templates.map(({ id, name, version, contents, updated_at: updated }) => (
        <Tr key={id}>
          <Td className="wrap-anywhere">
            <Link
              className={linkClass}
              to="/app/applications/$application/templates/$template"
              params={{ application: String(application), template: String(id) }}
            >
              {name}
            </Link>
          </Td>
          <Td>{Object.keys(contents).join(', ')}</Td>
          <Td className="text-right tabular">{version}</Td>
          <Td className="text-right max-sm:hidden">
            <Time at={updated} className="text-ink-faint" />
          </Td>
        </Tr>
      ))}
    </Table>
  );
}
