import { REFERENCE } from '../../src/http/pages/contents.ts';
import { anchor, escape, inline, prose } from '../html.ts';
import type { PageContent } from '../layout.ts';
import type { Heading, Rendered } from '../markdown/render.ts';
import { type Document, type Endpoint, endpointsOf } from './document.ts';
import { fieldList } from './fields.ts';
import { objectsOf, operationHtml } from './operation.ts';

/* The API reference, from the OpenAPI document: an overview, a page for each resource, and one for event types. */

type ReferencePage = PageContent & Pick<Rendered, 'sections'>;

/** The first page is the overview. */
export function referencePages(document: Document): ReferencePage[] {
  const endpoints = endpointsOf(document);
  const resources = document.tags.map((tag) => ({
    ...tag,
    own: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return [
    overviewPage(document, resources),
    ...resources.map((resource) => resourcePage(document, resource)),
    eventTypesPage(document),
  ];
}

interface Resource {
  name: string;
  description: string;
  own: readonly Endpoint[];
}

const EVENT_TYPES = 'reference/event-types';

const pageName = (tag: string) => `reference/${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

function overviewPage(document: Document, resources: readonly Resource[]): ReferencePage {
  const headings: Heading[] = [];
  const lists = resources.map(({ name, description, own }) => {
    const id = name.toLowerCase().replaceAll(' ', '-');
    headings.push({ level: 2, id, text: name });
    const rows = own.map(
      ({ method, path, operation }) =>
        `<tr><td><a href="/docs/${pageName(name)}#${operation.operationId}">${escape(operation.summary)}</a></td><td class="path"><b class="${method.toLowerCase()}">${method}</b> <code>${escape(path)}</code></td></tr>`,
    );
    return `<h2 id="${id}"><a href="/docs/${pageName(name)}">${escape(name)}</a>${anchor(id, name)}</h2><p>${inline(description)}</p><div class="wide" tabindex="0"><table><tbody>${rows.join('')}</tbody></table></div>`;
  });
  const intro = prose(document.info.description);
  return {
    name: REFERENCE.name,
    title: REFERENCE.title,
    headings,
    hasSource: false,
    main: `<h1>${REFERENCE.title}</h1><p>Every endpoint of Switchboard ${escape(document.info.version)}, by resource. The same as an OpenAPI 3.1 document: <a href="/openapi.json">openapi.json</a>. The events that webhooks and the feed deliver are in <a href="/docs/${EVENT_TYPES}">Event types</a>.</p>${intro}${lists.join('')}`,
    sections: [{ heading: undefined, text: document.info.description }],
  };
}

function resourcePage(document: Document, { name, description, own }: Resource): ReferencePage {
  const objects = [...new Set(own.flatMap(({ operation }) => objectsOf(operation)))].toSorted();
  const headings: Heading[] = [
    ...own.map(({ operation: { operationId, summary } }) => ({
      level: 2,
      id: operationId,
      text: summary,
    })),
    ...objects.map((object) => ({ level: 2, id: `object-${object}`, text: `${object} object` })),
  ];
  const sections = headings.map((heading) => {
    const endpoint = own.find(({ operation }) => operation.operationId === heading.id);
    const text = endpoint
      ? `${endpoint.method} ${endpoint.path} ${endpoint.operation.description}`
      : (document.components.schemas[heading.text.split(' ', 1)[0] ?? '']?.description ?? '');
    return { heading, text, keywords: heading.id };
  });
  const objectsHtml = objects.map((object) => objectHtml(document, object));
  return {
    name: pageName(name),
    title: name,
    headings,
    hasSource: false,
    main: `<h1>${escape(name)}</h1><p>${inline(description)}</p>${own.map((endpoint) => operationHtml(document, endpoint)).join('')}${objectsHtml.join('')}`,
    sections: [{ heading: undefined, text: description }, ...sections],
  };
}

function objectHtml(document: Document, name: string): string {
  const schema = document.components.schemas[name];
  if (!schema) throw new Error(`unknown schema ${name}`);
  const id = `object-${name}`;
  const words = schema.description === undefined ? '' : `<p>${inline(schema.description)}</p>`;
  return `<article><h2 id="${id}">${name} object${anchor(id, `${name} object`)}</h2>${words}${fieldList(document, schema, [name])}</article>`;
}

function eventTypesPage(document: Document): ReferencePage {
  const types = Object.entries(document.webhooks);
  const headings = types.map(([type]) => ({ level: 2, id: type, text: type }));
  const articles = types.map(([type, { post }]) => {
    const schema = post.requestBody?.content['application/json']?.schema ?? {};
    return `<article><h2 id="${type}"><code>${type}</code>${anchor(type, type)}</h2>${prose(post.description)}${fieldList(document, schema)}</article>`;
  });
  return {
    name: EVENT_TYPES,
    title: 'Event types',
    headings,
    hasSource: false,
    main: `<h1>Event types</h1><p>The events of an application, as the feed, the WebSocket and webhooks deliver them.</p>${articles.join('')}`,
    sections: [
      { heading: undefined, text: 'The events of an application.' },
      ...types.map(([type, { post }], at) => ({
        heading: headings[at],
        text: `${type} ${post.description}`,
      })),
    ],
  };
}
