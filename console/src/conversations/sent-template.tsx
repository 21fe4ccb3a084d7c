import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';

import type { Message } from '../api/types.ts';
import { BlockView } from '../messages/drawing/blocks.tsx';
import { FormattedText } from '../messages/drawing/runs.tsx';
import { templatesQuery, vendorTemplatesQuery } from '../templates/queries.ts';

type Sent = NonNullable<Message['template']>;

/** `{{name}}` stands for the value of a parameter. */
const filled = (text: string, parameters: Sent['parameters']): string =>
  text.replaceAll(/\{\{\s*([\w.-]{1,100})\s*\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });

/** Whether a template has nothing but placeholders; only the service renders the rest of Liquid. */
const isSimple = (content: string) => !/\{%|\{\{[^{}]*[^\w\s.{}-][^{}]*\}\}/.test(content);

interface SentTemplateProps {
  application: number;
  integration: number;
  template: Sent;
}

/** A template with its values, as far as its content is known; and its name. */
export function SentTemplate({ application, integration, template }: SentTemplateProps) {
  const { name, language, source } = template;
  return (
    <>
      {source === 'vendor' ? (
        <VendorContent application={application} integration={integration} template={template} />
      ) : (
        <OwnContent application={application} template={template} />
      )}
      <p data-testid="sent-template" className="flex items-start gap-1.5 text-sm text-ink-soft">
        <FileText className="mt-0.5 size-3.5 shrink-0" aria-hidden />
        <span className="wrap-anywhere">
          Template {name} ({language})
        </span>
      </p>
    </>
  );
}

function VendorContent({ application, integration, template }: SentTemplateProps) {
  const { name, language, parameters } = template;
  const { data } = useQuery(vendorTemplatesQuery(application, integration));
  const found = data?.data.find((each) => each.name === name && each.language === language);
  if (!found) return null;
  const { header, body, footer, buttons } = found.preview;
  return (
    <>
      {header !== undefined && <p className="font-semibold">{filled(header, parameters)}</p>}
      <FormattedText text={filled(body, parameters)} markup={undefined} />
      {footer !== undefined && (
        <p className="text-sm text-ink-soft">{filled(footer, parameters)}</p>
      )}
      {buttons.length > 0 && (
        <BlockView
          block={{
            kind: 'buttons',
            buttons: buttons.map(({ label, url }) => ({ name: label, url })),
          }}
        />
      )}
    </>
  );
}

function OwnContent({ application, template }: Omit<SentTemplateProps, 'integration'>) {
  const { name, language, version, parameters } = template;
  const { data } = useQuery(templatesQuery(application));
  const found = data?.find((each) => each.name === name && each.version === version);
  const text = found?.contents[language];
  if (!text || !isSimple(text.content)) return null;
  const { mediaType } = text;
  const markup =
    mediaType === 'text/markdown' ? 'markdown' : mediaType === 'text/html' ? 'html' : undefined;
  return <FormattedText text={filled(text.content, parameters)} markup={markup} />;
}
