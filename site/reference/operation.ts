import { anchor, escape, inline, prose } from '../html.ts';
import {
  type Document,
  type Endpoint,
  type Operation,
  type Response,
  type Schema,
  callersOf,
  nameOf,
} from './document.ts';
import { examplesHtml } from './examples.ts';
import { fieldList, parameterList } from './fields.ts';

/* One operation: what it takes, examples, what it returns and its errors. */

export function operationHtml(document: Document, endpoint: Endpoint): string {
  const { method, path, operation } = endpoint;
  const { operationId, summary, description, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const isOwnText = description !== `${summary}.`;
  return `<article><h2 id="${operationId}">${escape(summary)}${anchor(operationId, summary)}</h2>
<p class="path"><b class="${method.toLowerCase()}">${method}</b> <code>${escape(path)}</code> <span class="token">${callerOf(operation)}</span></p>
${isOwnText ? prose(description) : ''}${examplesHtml(endpoint)}${tryIt(endpoint)}
${parametersHtml(document, operation)}
${body?.schema ? `<h3>Body${requestBody?.required ? '' : ' (optional)'}</h3>${fieldList(document, body.schema)}` : ''}
<h3>Response</h3>${successHtml(responses)}
${errorsHtml(document, responses)}</article>`;
}

/** The objects that an operation takes or returns whole, by name. */
export function objectsOf({ responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? namesIn(content?.['application/json']?.schema) : [],
  );
}

function namesIn(schema: Schema | undefined): string[] {
  if (!schema) return [];
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  return [
    ...namesIn(schema.items),
    ...Object.values(schema.properties ?? {}).flatMap(namesIn),
    ...(schema.anyOf ?? []).flatMap(namesIn),
  ];
}

function callerOf(operation: Operation): string {
  const callers = callersOf(operation);
  if (callers.has('session')) return 'console session';
  if (callers.has('application')) return 'application token';
  return callers.has('user') ? 'user token' : 'no token';
}

function parametersHtml(document: Document, { parameters }: Operation): string {
  const groups = [
    ['path', 'Path parameters'],
    ['query', 'Query parameters'],
    ['header', 'Headers'],
  ] as const;
  return groups
    .map(([place, title]) => {
      const own = parameters.filter((one) => one.in === place);
      return own.length === 0 ? '' : `<h3>${title}</h3>${parameterList(document, own)}`;
    })
    .join('');
}

function successHtml(responses: Operation['responses']): string {
  const rows = Object.entries(responses)
    .filter(([status]) => /^[123]/.test(status))
    .map(([status, { description = '', content }]) => {
      const names = namesIn(content?.['application/json']?.schema);
      const links = names.map((name) => `<a href="#object-${name}">${name}</a>`).join(', ');
      return `<li><code>${status}</code> ${inline(description)}${links === '' ? '' : ` ${links}`}</li>`;
    });
  return `<ul class="statuses">${rows.join('')}</ul>`;
}

/** Codes by status, each with a link to what to do about it. */
function errorsHtml(document: Document, responses: Operation['responses']): string {
  const rows = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .map(([status, response]) => {
      const links = codesOf(document, response).map(
        (code) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`,
      );
      return `<li><code>${status}</code> ${links.join(' ')}</li>`;
    });
  return rows.length === 0
    ? ''
    : `<h3>Errors</h3><ul class="statuses errors">${rows.join('')}</ul>`;
}

function codesOf(document: Document, response: Response): string[] {
  const { content } =
    response.$ref === undefined
      ? response
      : (document.components.responses[nameOf(response.$ref)] ?? response);
  return Object.keys(content?.['application/problem+json']?.examples ?? {});
}

/** What the form needs to make the call; a script builds it. */
function tryIt({ method, path, operation }: Endpoint): string {
  const callers = callersOf(operation);
  const isCallable = callers.has('user') && operation.operationId !== 'openRealtime';
  if (!isCallable) return '';
  const body = operation.requestBody?.content['application/json']?.example;
  const call = {
    method,
    path,
    actsForApplication: callers.has('application'),
    parameters: operation.parameters
      .filter((one) => one.in !== 'header')
      .map(({ name, in: place, required = false, schema }) => ({
        name,
        in: place,
        required,
        choices: schema.enum,
      })),
    ...(body !== undefined && { body: JSON.stringify(body, null, 2) }),
  };
  return `<div class="try" data-call="${escape(JSON.stringify(call))}"></div>`;
}
