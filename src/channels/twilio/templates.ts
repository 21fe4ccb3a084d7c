import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import { jsonText } from '../../lib/json/json-text.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import {
  type TemplateDefinition,
  type TemplateParameter,
  type TemplateStatus,
  TEMPLATE_STATUSES,
  placeholdersIn,
} from '../../model/templates/vendor-template.ts';

/*
 * Twilio's content templates. https://www.twilio.com/docs/content/content-api-resources
 */
const PAGE_SIZE = 100;

/** The first page of the list with the state of approvals. */
export const CONTENT_LIST = `/v1/ContentAndApprovals?PageSize=${PAGE_SIZE}`;

/** The URL of the next page, if there is one. It must be at the same host. */
export function nextPage(json: unknown, host: string): string | undefined {
  const next = textMember(json, 'meta', 'next_page_url');
  return next?.startsWith(`${host}/`) ? next : undefined;
}

export function readContents(json: unknown): TemplateDefinition[] | undefined {
  if (!Array.isArray(member(json, 'contents'))) return undefined;
  return listMember(json, 'contents').flatMap(readContent);
}

const CONTENT_SID = /^HX[0-9a-f]{32}$/i;

function readContent(content: unknown): TemplateDefinition[] {
  const [sid = '', language] = [textMember(content, 'sid'), textMember(content, 'language')];
  if (!CONTENT_SID.test(sid) || language === undefined) return [];
  const types = member(content, 'types');
  const [type = ''] = Object.keys(typeof types === 'object' && types ? types : {});
  const definition = member(types, type);
  const approval = member(content, 'approval_requests');
  const reason = textMember(approval, 'rejection_reason');
  const actions = listMember(definition, 'actions');
  const texts = [jsonText(definition ?? {}), ...Object.keys(variablesOf(content)).map(placeholder)];
  const variables = variablesOf(content);
  const footer = textMember(definition, 'footer');
  const title = textMember(definition, 'title') ?? textMember(definition, 'header_text');
  const [file] = listMember(definition, 'media');
  const header = title ?? (typeof file === 'string' ? file : undefined);
  return [
    {
      name: textMember(content, 'friendly_name') ?? sid,
      language,
      vendorId: sid,
      status: statusOf(textMember(approval, 'status')),
      category: textMember(approval, 'category')?.toLowerCase() ?? null,
      reason: reason === undefined || reason === '' ? null : reason,
      unsupported: definition === undefined ? `content of type ${type}` : null,
      parameters: placeholdersIn(texts.join(' ')).map((name) => {
        const parameter: TemplateParameter = { name, kind: 'text', place: 'body' };
        return Object.assign(parameter, omitUndefined({ example: textMember(variables, name) }));
      }),
      layout: {
        ...(header !== undefined && { header }),
        body: textMember(definition, 'body') ?? '',
        ...(footer !== undefined && { footer }),
        buttons: actions.map((action) => {
          const label = textMember(action, 'title') ?? textMember(action, 'phone') ?? '';
          return Object.assign({ label }, omitUndefined({ url: textMember(action, 'url') }));
        }),
      },
    },
  ];
}

const placeholder = (name: string) => `{{${name}}}`;

function variablesOf(content: unknown): object {
  const variables = member(content, 'variables');
  return typeof variables === 'object' && variables !== null ? variables : {};
}

/** Twilio says `received` until it passes a template on to WhatsApp. */
function statusOf(status = 'unsubmitted'): TemplateStatus {
  return TEMPLATE_STATUSES.find((known) => known === status) ?? 'pending';
}
