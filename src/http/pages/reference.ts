import { REFERENCE } from './contents.ts';
import { code, escape, inline, layout, prose, slug, table } from './layout.ts';

/* The API reference page, generated from the OpenAPI document. */

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; description?: string; schema: unknown }[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: unknown; example?: unknown }>;
  };
  responses: Record<
    string,
    { description?: string; $ref?: string; content?: Record<string, { schema?: unknown }> }
  >;
}

interface Document {
  info: { version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, unknown>;
    responses: Record<string, { description: string }>;
  };
}

export function referencePage(openApi: Record<string, unknown>): string {
  const document = openApi as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const sections = document.tags.map(({ name }) => {
    const inSection = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<section><h2 id="${slug(name)}">${escape(name)}</h2>${inSection
      .map(({ path, method, operation }) => operationHtml(document, path, method, operation))
      .join('')}</section>`;
  });
  const schemas = Object.entries(document.components.schemas)
    .map(([name, schema]) => `<h3 id="schema-${name}">${name}</h3>${code(schema)}`)
    .join('');
  const headings = [...document.tags.map(({ name }) => name), 'Schemas'];
  return layout({
    title: REFERENCE.title,
    name: REFERENCE.name,
    headings: headings.map((text) => ({ id: slug(text), text })),
    main: `<h1>API reference</h1><p class="source">Switchboard ${escape(document.info.version)}. OpenAPI document: <a href="/openapi.json">openapi.json</a></p>${prose(document.info.description)}${sections.join('')}<section><h2 id="schemas">Schemas</h2>${schemas}</section>`,
  });
}

function operationHtml(
  document: Document,
  path: string,
  method: string,
  operation: Operation,
): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } =
    operation;
  const [scheme] = security.flatMap((one) => Object.keys(one));
  const credentials = scheme === 'session' ? 'session' : `${scheme ?? 'no'} token`;
  const token = `<span class="token">${credentials}</span>`;
  const body = requestBody?.content['application/json'];
  return `<article id="${operationId}"><h3>${escape(summary)}</h3>
<p class="path"><b class="${method.toLowerCase()}">${method}</b> <code>${escape(path)}</code> ${token}</p>
${description ? prose(description) : ''}
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters.map((one) => [`<code>${escape(one.name)}</code>`, one.in, inline(one.description ?? '')]))}` : ''}
${body ? `<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${body.example === undefined ? '' : code(body.example)}<details><summary>Schema</summary>${code(body.schema)}</details>` : ''}
<h4>Responses</h4>${table(Object.entries(responses).map(([status, response]) => [status, responseHtml(document, response)]))}</article>`;
}

function responseHtml(document: Document, response: Operation['responses'][string]): string {
  const reference = response.$ref?.split('/').at(-1);
  const description = reference
    ? document.components.responses[reference]?.description
    : response.description;
  const schema = response.content?.['application/json']?.schema as { $ref?: string } | undefined;
  const title = schema?.$ref?.split('/').at(-1);
  const link = title ? ` <a href="#schema-${title}">${title}</a>` : '';
  return inline(description ?? '') + link;
}
