import { KeyedQueue } from '../../lib/runtime/keyed-queue.ts';
import { RenderTime, isCheap } from '../../lib/text/liquid.ts';
import { IsolatedThread, IsolationError } from '../../lib/threads/isolated-thread.ts';
import type { ActivityObject } from '../../model/activity.ts';
import type { Id } from '../../model/id.ts';
import { type FieldError, Problem } from '../../model/problem.ts';
import type { TemplateParameters } from '../../model/templates/template-values.ts';
import {
  type Template,
  type TemplateContent,
  bestLanguage,
} from '../../model/templates/template.ts';
import type { ContentAnswer, ContentRequest } from './content-worker.ts';
import { type Rendered, renderContent, textsOf } from './content.ts';

/*
 * Templates of the application. Their Liquid is parsed and rendered in a separate thread, except for texts that only
 * insert values: no limit of the parser bounds a single filter.
 */

const TIMEOUT_MS = 1_000;
const HEAP_MB = 64;

const thread = new IsolatedThread<ContentRequest, ContentAnswer>(
  new URL('./content-worker.ts', import.meta.url),
  { timeoutMs: TIMEOUT_MS, heapMb: HEAP_MB },
);

/** A busy machine must not refuse a template that is cheap. */
const UNLIMITED = new RenderTime(Infinity);

/** An application has one template in the thread at a time, so that others wait for at most that one. */
const queue = new KeyedQueue<Id>();

/** The language in which a template is sent: the wanted one, a more general one, or the default. */
export function languageOf(
  { contents, defaultLanguage }: Pick<Template, 'contents' | 'defaultLanguage'>,
  wanted: string | undefined,
): string {
  const best = wanted === undefined ? undefined : bestLanguage(Object.keys(contents), wanted);
  return best ?? defaultLanguage;
}

/** Why texts of the contents are not Liquid. */
export async function liquidFaults(
  applicationId: Id,
  contents: Readonly<Record<string, TemplateContent>>,
): Promise<FieldError[]> {
  try {
    const answer = await queue.run(applicationId, () => thread.run({ contents }));
    return 'errors' in answer ? answer.errors : [];
  } catch (error) {
    return [{ pointer: '/contents', detail: excessOf(error) }];
  }
}

/** Renders the template. Throws a Problem if it needs other parameters, or exceeds a limit. */
export async function renderTemplate(
  applicationId: Id,
  content: TemplateContent,
  parameters: TemplateParameters,
  pointer: string,
): Promise<ActivityObject> {
  const rendered = await render(applicationId, content, parameters);
  if ('object' in rendered) return rendered.object;
  const detail = rendered.fault;
  throw new Problem('template_refused', `the template cannot be rendered: ${detail}`, {
    errors: [{ pointer, detail }],
  });
}

async function render(
  applicationId: Id,
  content: TemplateContent,
  parameters: TemplateParameters,
): Promise<Rendered> {
  if (isCheap(textsOf(content), parameters)) return renderContent(content, parameters, UNLIMITED);
  try {
    const answer = await queue.run(applicationId, () => thread.run({ content, parameters }));
    if ('errors' in answer) throw new TypeError('the thread answered another request');
    return answer;
  } catch (error) {
    return { fault: excessOf(error) };
  }
}

/** Other errors are faults of the service. */
function excessOf(error: unknown): string {
  if (!(error instanceof IsolationError)) throw error;
  if (error.fault === 'timeout') return 'takes too long';
  if (error.fault === 'memory') return 'needs too much memory';
  throw error;
}
