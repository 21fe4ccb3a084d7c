import type { Template } from '../../model/templates/template.ts';
import type { TemplateDefinition } from '../../model/templates/vendor-template.ts';
import { timestamp } from '../../model/timestamp.ts';
import { dated } from './views.ts';

export const templateView = (template: Template) => ({
  ...dated(template),
  name: template.name,
  version: template.version,
  default_language: template.defaultLanguage,
  contents: template.contents,
});

export const versionView = ({ version, updatedAt }: Pick<Template, 'version' | 'updatedAt'>) => ({
  version,
  created_at: timestamp(updatedAt),
});

export const vendorTemplateView = (template: TemplateDefinition) => ({
  name: template.name,
  language: template.language,
  vendor_id: template.vendorId === '' ? null : template.vendorId,
  status: template.status,
  category: template.category,
  reason: template.reason,
  unsupported: template.unsupported,
  parameters: template.parameters.map(({ name, kind, place, isOptional, example }) => ({
    name,
    kind,
    place,
    required: isOptional !== true,
    example: example ?? null,
  })),
  preview: template.layout,
});
