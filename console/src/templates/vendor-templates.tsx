import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';

import type { Integration, VendorTemplates } from '../api/types.ts';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useSync, vendorTemplatesQuery } from './queries.ts';

type VendorTemplate = VendorTemplates['data'][number];

interface VendorTemplateSectionProps {
  application: number;
  integration: Integration;
}

/** The templates of one integration's vendor, as of the last sync. */
export function VendorTemplateSection({ application, integration }: VendorTemplateSectionProps) {
  const { data, error, refetch } = useQuery(vendorTemplatesQuery(application, integration.id));
  const sync = useSync(application, integration.id);
  return (
    <Section
      testId="vendor-templates"
      flush
      title={<IntegrationName application={application} id={integration.id} />}
      description={
        data?.synced_at ? (
          <>
            Synced <Time at={data.synced_at} />
          </>
        ) : (
          'Never synced'
        )
      }
      actions={
        <Button data-testid="sync" busy={sync.isPending} onClick={() => sync.mutate()}>
          <RefreshCw aria-hidden />
          Sync templates
        </Button>
      }
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {sync.isError && <ProblemNotice error={sync.error} />}
      {data?.data.length === 0 && (
        <p data-testid="no-vendor-templates" className="px-4 py-3 text-sm text-ink-soft">
          {data.synced_at
            ? 'The vendor has no templates.'
            : 'Sync reads the templates of the vendor.'}
        </p>
      )}
      {data && data.data.length > 0 && <VendorTable templates={data.data} />}
    </Section>
  );
}

const TONES: Partial<Record<VendorTemplate['status'], Tone>> = {
  approved: 'ok',
  pending: 'busy',
  rejected: 'bad',
  paused: 'warn',
  disabled: 'bad',
};

function VendorTable({ templates }: { templates: readonly VendorTemplate[] }) {
  return (
    <Table
      label="Templates of the vendor"
      head={
        <>
          <Th>Name</Th>
          <Th>Status</Th>
          <Th className="max-sm:hidden">Preview</Th>
          <Th className="max-md:hidden">Parameters</Th>
        </>
      }
    >
      {templates.map((template) => {
        const { name, language, vendor_id: id, status, reason, category } = template;
        const { preview, parameters } = template;
        return (
          <Tr key={`${name} ${language} ${id ?? ''}`}>
            <Td className="wrap-anywhere">
              {name}
              <span className="block text-xs text-ink-faint">
                {[language, category].filter(Boolean).join(', ')}
              </span>
            </Td>
            <Td>
              <Badge tone={TONES[status] ?? 'neutral'} state={status} title={reason ?? ''}>
                {status}
              </Badge>
            </Td>
            <Td className="wrap-anywhere max-sm:hidden">
              {[preview.header, preview.body, preview.footer].filter(Boolean).join('\n')}
            </Td>
            <Td className="font-mono text-xs wrap-anywhere max-md:hidden">
              {parameters.map((one) => one.name).join(', ')}
            </Td>
          </Tr>
        );
      })}
    </Table>
  );
}
