import {
  type LiquidEscape,
  LiquidFault,
  RenderTime,
  checkLiquid,
  renderLiquid,
} from '../../lib/text/liquid.ts';
import { type ActivityObject, MAX_FORMATTED_LENGTH, markupOf } from '../../model/activity.ts';
import type { FieldError } from '../../model/problem.ts';
import type { TemplateParameters } from '../../model/templates/template-values.ts';
import type { TemplateContent } from '../../model/templates/template.ts';

/* The content of a template: Liquid in the texts of a note. */

/** The fields of a content, and of its attachments, that are Liquid. */
const TEXTS = ['name', 'content', 'url', 'value'] as const;

/** All texts of a content. */
export const textsOf = (content: TemplateContent): string[] =>
  [content, ...(content.attachment ?? [])].flatMap((object: Omit<ActivityObject, 'type'>) =>
    TEXTS.flatMap((field) => object[field] ?? []),
  );

/** Why texts of the contents are not Liquid. */
export function contentsFaults(contents: Readonly<Record<string, TemplateContent>>): FieldError[] {
  return Object.entries(contents).flatMap(([language, content]) =>
    contentFaults(content, `/contents/${language}`),
  );
}

function contentFaults(content: TemplateContent, pointer: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (object: Omit<ActivityObject, 'type'>, at: string) => {
    for (const field of TEXTS) {
      try {
        checkLiquid(object[field] ?? '');
      } catch (error) {
        if (!(error instanceof LiquidFault)) throw error;
        errors.push({ pointer: `${at}/${field}`, detail: `is not valid Liquid: ${error.message}` });
      }
    }
    for (const [i, inner] of (object.attachment ?? []).entries()) {
      check(inner, `${at}/attachment/${i}`);
    }
  };
  check(content, pointer);
  return errors;
}

export type Rendered = { object: ActivityObject } | { fault: string };

/** The note with the values filled in, or why these values cannot be used. */
export function renderContent(
  content: TemplateContent,
  parameters: TemplateParameters,
  // All texts together: a note has up to 50 attachments.
  time = new RenderTime(),
): Rendered {
  const note = { type: 'Note', ...content };
  const escape: LiquidEscape = markupOf(note) ?? 'plain';
  const render = (text: string, as: LiquidEscape) => renderLiquid(text, parameters, as, time);
  try {
    const rendered = withTexts(note, (text, field) =>
      render(text, field === 'content' ? escape : 'plain'),
    );
    const attachment = content.attachment?.map((one) =>
      withTexts(one, (text) => render(text, 'plain')),
    );
    const object = { ...rendered, ...(attachment && { attachment }) };
    const fault = noteFault(object);
    return fault === undefined ? { object } : { fault };
  } catch (error) {
    if (!(error instanceof LiquidFault)) throw error;
    return { fault: error.message };
  }
}

/** Why the result is not a valid message. The values and URLs of buttons are not checked. */
function noteFault(object: ActivityObject): string | undefined {
  const { content = '', attachment = [] } = object;
  if (content.trim() === '' && attachment.length === 0) return 'the content is empty';
  if (markupOf(object) && content.length > MAX_FORMATTED_LENGTH) {
    return `the formatted content has more than ${MAX_FORMATTED_LENGTH} characters`;
  }
  if (attachment.some(({ type, name = '' }) => type === 'Button' && name.trim() === '')) {
    return 'a button has no name';
  }
  return attachment.every(isReachable) ? undefined : 'an attachment has no http or https URL';
}

const isReachable = ({ type, url = '' }: ActivityObject) =>
  type === 'Button' || /^https?:\/\/[^\s]{1,2040}$/.test(url);

function withTexts<Shown extends ActivityObject>(
  object: Shown,
  write: (text: string, field: string) => string,
): Shown {
  const texts = TEXTS.flatMap((field) => {
    const text = object[field];
    return text === undefined ? [] : [[field, write(text, field)] as const];
  });
  return { ...object, ...Object.fromEntries(texts) };
}
