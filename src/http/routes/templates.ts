import Type, { type Static } from 'typebox';

import { previewTemplate } from '../../accept/templates/channel-previews.ts';
import { liquidFaults } from '../../accept/templates/own-templates.ts';
import { type Id as IdType, parseId } from '../../model/id.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import type { Template } from '../../model/templates/template.ts';
import { LanguageTag, TemplateParametersSchema, parametersOf } from '../instructions.ts';
import { listOf } from '../openapi/schemas.ts';
import {
  TemplateDetailSchema,
  TemplateName,
  TemplatePreviewSchema,
  TemplateSchema,
  templateFields,
} from '../openapi/template-schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import {
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  ok,
  pathId,
} from '../server/route.ts';
import type { Services } from '../services.ts';
import { templateView, versionView } from '../views/templates.ts';

/** Versions count from 1. */
const NO_VERSION = 0;

const Body = Type.Object(templateFields, { title: 'TemplateVersion' });
const NewBody = Type.Object({ name: TemplateName, ...templateFields }, { title: 'NewTemplate' });
const PreviewBody = Type.Object(
  {
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    language: Type.Optional(LanguageTag),
    parameters: Type.Optional(TemplateParametersSchema),
    channels: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 50,
        description: 'Only these channels; all by default.',
      }),
    ),
  },
  { title: 'TemplatePreviewRequest' },
);

/** Size of a template with all its languages. */
const MAX_TEMPLATE_BYTES = 64 * 1024;

const EXAMPLE = {
  default_language: 'en',
  contents: {
    en: { content: 'Your order {{ number }} is on its way.' },
    pt: { content: 'Seu pedido {{ number }} está a caminho.' },
  },
};

const tag = 'Templates';
const gone = () => notFound('the template');

/** Templates of the application, which every channel can send. */
export function templateRoutes({ store, clock }: Services): Route[] {
  async function find(applicationId: IdType, id: IdType, version?: number) {
    const template = await store.templates.get(applicationId, id, version);
    if (!template) throw gone();
    return template;
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/templates',
      operationId: 'listTemplates',
      tag,
      summary: 'List templates',
      description: "The application's own templates, newest first, in their newest version.",
      query: PAGING,
      evenDisabled: true,
      success: { status: 200, description: 'A page of templates.', schema: listOf(TemplateSchema) },
      async handle(call) {
        const { applicationId } = call.caller;
        const page = await store.templates.list(applicationId, pageRequest(call.query));
        return listAnswer(call, '/1/templates', page, (one) => JSON.stringify(templateView(one)));
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/templates',
      operationId: 'createTemplate',
      tag,
      summary: 'Create a template',
      description:
        'A text in several languages, with placeholders in Liquid. Messages on all channels can use it, by its name in `template`.',
      body: NewBody,
      bodyLimit: MAX_TEMPLATE_BYTES,
      example: { name: 'order_shipped', ...EXAMPLE },
      success: { status: 201, description: 'Created.', schema: TemplateSchema },
      problems: ['name_taken'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { name, ...content } = call.body;
        const now = clock.now();
        const given = { ...(await readContents(applicationId, content)), applicationId, name };
        const id = await store.nextId();
        const made = { ...given, id, createdAt: now, updatedAt: now };
        const answerOf = (one: Template) => created(`/1/templates/${id}`, templateView(one));
        const template = await store.templates.create(made, (one) => call.once(answerOf(one)));
        if (!template) {
          const detail = 'is the name of another template';
          throw new Problem('name_taken', `${name} ${detail}`, {
            errors: [{ pointer: '/name', detail }],
          });
        }
        return answerOf(template);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/templates/:id',
      operationId: 'getTemplate',
      tag,
      summary: 'Get a template',
      description: 'The newest version, or the one in `version`, and the list of versions.',
      query: [
        { name: 'version', description: 'A version.', schema: { type: 'integer', minimum: 1 } },
      ],
      evenDisabled: true,
      success: { status: 200, description: 'The template.', schema: TemplateDetailSchema },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { version } = call.query;
        const wanted = version ? (parseId(version) ?? NO_VERSION) : undefined;
        const template = await find(applicationId, pathId(call), wanted);
        const versions = await store.templates.versions(applicationId, template.id);
        return ok({ ...templateView(template), versions: versions.map(versionView) });
      },
    }),
    applicationRoute({
      method: 'PUT',
      path: '/1/templates/:id',
      operationId: 'updateTemplate',
      tag,
      summary: 'Add a version of a template',
      description:
        'New messages use it. Accepted messages keep the version that they were accepted with.',
      body: Body,
      bodyLimit: MAX_TEMPLATE_BYTES,
      example: EXAMPLE,
      success: { status: 204, description: 'Added.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const template = await find(applicationId, pathId(call));
        const content = await readContents(applicationId, call.body);
        const next = { ...template, ...content, updatedAt: clock.now() };
        if ((await store.templates.addVersion(next)) === undefined) throw gone();
        return noContent;
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/templates/:id',
      operationId: 'deleteTemplate',
      tag,
      summary: 'Delete a template',
      description: 'Deletes all its versions. Accepted messages are still sent.',
      success: { status: 204, description: 'Deleted.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        if (!(await store.templates.delete(applicationId, pathId(call)))) throw gone();
        return noContent;
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/templates/:id/preview',
      operationId: 'previewTemplate',
      tag,
      summary: 'Preview a template',
      description: 'Renders it with the parameters, for each channel. Nothing is sent.',
      body: PreviewBody,
      example: { language: 'pt-BR', parameters: { number: '4711' }, channels: ['telegram'] },
      success: {
        status: 200,
        description: 'The rendered template.',
        schema: TemplatePreviewSchema,
      },
      problems: ['not_found', 'unknown_channel', 'template_refused'],
      async handle(call) {
        const { version, parameters = {}, ...wanted } = call.body;
        const template = await find(call.caller.applicationId, pathId(call), version);
        const { language, object, channels } = await previewTemplate(template, {
          ...wanted,
          parameters: parametersOf(parameters),
        });
        return ok({
          template_id: template.id,
          version: template.version,
          language,
          object,
          channels,
        });
      },
    }),
  ];
}

async function readContents(
  applicationId: IdType,
  { default_language: defaultLanguage, contents }: Static<typeof Body>,
) {
  if (!Object.hasOwn(contents, defaultLanguage)) {
    const detail = 'must be one of the languages in contents';
    throw invalidFields({ pointer: '/default_language', detail });
  }
  const errors = await liquidFaults(applicationId, contents);
  if (errors.length > 0) throw invalidFields(...errors);
  return { defaultLanguage, contents };
}
