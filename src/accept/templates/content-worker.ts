import { serveIsolated } from '../../lib/threads/isolated-thread.ts';
import type { FieldError } from '../../model/problem.ts';
import type { TemplateParameters } from '../../model/templates/template-values.ts';
import type { TemplateContent } from '../../model/templates/template.ts';
import { type Rendered, contentsFaults, renderContent } from './content.ts';

/* The thread that parses and renders templates of applications. */

export type ContentRequest =
  | { contents: Readonly<Record<string, TemplateContent>> }
  | { content: TemplateContent; parameters: TemplateParameters };

export type ContentAnswer = { errors: FieldError[] } | Rendered;

serveIsolated({
  answer: (request: ContentRequest): ContentAnswer =>
    'contents' in request
      ? { errors: contentsFaults(request.contents) }
      : renderContent(request.content, request.parameters),
});
