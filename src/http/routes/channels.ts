import Type from 'typebox';

import { capabilitiesOf } from '../../channels/capabilities.ts';
import {
  CHANNEL_CATEGORIES,
  type Channel,
  type ChannelOption,
  type OptionRule,
} from '../../channels/channel.ts';
import { CHANNELS } from '../../channels/index.ts';
import { BUTTON_KINDS } from '../../model/button.ts';
import { NO_ID, parseId } from '../../model/id.ts';
import { CREDENTIALS } from '../../model/integration.ts';
import { isSimulated } from '../../sandbox/index.ts';
import {
  CheckSchema,
  checkAnswer,
  changedCredentials,
  knownChannel,
  missingFrom,
} from '../channel-credentials.ts';
import {
  Int64,
  credentialChanges,
  credentialFields,
  listOf,
  nullable,
} from '../openapi/schemas.ts';
import { GuideSchema, guideTo } from '../pages/setup-guide.ts';
import { type Route, applicationRoute, notFound, ok, openRoute } from '../server/route.ts';
import type { Services } from '../services.ts';

const OptionSchema = Type.Object(
  {
    name: Type.String({ examples: ['silent'] }),
    label: Type.String(),
    help: Type.String(),
    link: nullable(Type.String()),
    type: Type.Enum(['boolean', 'integer', 'choice', 'text']),
    minimum: Type.Optional(Type.Integer()),
    maximum: Type.Optional(Type.Integer()),
    unit: Type.Optional(Type.Literal('seconds')),
    choices: Type.Optional(Type.Array(Type.String())),
    max_length: Type.Optional(Type.Integer()),
    example: Type.Optional(Type.String()),
  },
  { title: 'ChannelOption' },
);

export const ChannelSchema = Type.Object(
  {
    name: Type.String({ examples: ['telegram'] }),
    title: Type.String(),
    category: Type.Enum([...CHANNEL_CATEGORIES], {
      description:
        '`sms`; `chat`: chat apps; `team-chat`: team chat and communities; `email`; `push`: notifications; `own`: your site or service.',
    }),
    summary: Type.String({ description: 'What the channel does, in one sentence.' }),
    keywords: Type.Array(Type.String(), { description: 'Other words that people search for.' }),
    aliases: Type.Array(Type.String()),
    docs: Type.String(),
    dashboard: nullable(
      Type.String({ description: "The vendor's page where users create the credentials." }),
    ),
    credentials: Type.Array(
      Type.Object({
        name: Type.Enum([...CREDENTIALS]),
        label: Type.String(),
        help: Type.String(),
        secret: Type.Boolean(),
        required: Type.Boolean({ description: 'Whether sending needs it.' }),
        generate: nullable(
          Type.Enum(['hex', 'whsec'], {
            description:
              'The form of a random value, for secrets that users choose: 32 hex digits, or `whsec_` and 32 bytes in base64.',
          }),
        ),
        parts: nullable(
          Type.Enum(['mail_servers'], {
            description:
              'Set if a form should compose the value: `mail_servers` is the SMTP server and, to receive, the IMAP server of a mailbox.',
          }),
        ),
        pattern: nullable(
          Type.String({
            description:
              'Regular expression that values usually match. Others are accepted too: vendors change their formats.',
          }),
        ),
        hint: nullable(
          Type.String({
            description: 'What a value looks like.',
            examples: ['Bot tokens look like 110201543:AAHdqTcvCH1vGWJ….'],
          }),
        ),
      }),
    ),
    needs: Type.Array(Type.Array(Type.String()), {
      description: 'Sets of credentials; one complete set is enough to send.',
    }),
    need_names: Type.Array(Type.String(), {
      description: 'Names of these sets, in the same order, for people who choose one.',
    }),
    sandbox: Type.Boolean({ description: 'Whether integrations can use the sandbox.' }),
    hook: nullable(
      Type.Object(
        {
          needs: Type.Array(Type.Array(Type.String())),
          setup: Type.String(),
        },
        {
          description: "Credentials that verify the vendor's webhooks, and where to enter the URL.",
        },
      ),
    ),
    options: Type.Array(OptionSchema, {
      description: 'Options of a message; `options` of an integration has their defaults.',
    }),
    recipient: Type.Object({ form: Type.String(), example: Type.String() }),
    limits: Type.Array(Type.Object({ what: Type.String(), link: Type.String() })),
    can: Type.Object(
      {
        send: Type.Boolean(),
        text: nullable(Type.Integer({ description: 'Maximum length of one text part.' })),
        formatting: Type.Boolean(),
        image: Type.Boolean(),
        video: Type.Boolean(),
        audio: Type.Boolean(),
        document: Type.Boolean(),
        place: Type.Boolean(),
        buttons: nullable(
          Type.Object({
            most: Type.Integer(),
            label: Type.Integer({ description: 'Maximum length of a button label.' }),
            kinds: Type.Array(Type.Enum([...BUTTON_KINDS]), {
              description:
                'Buttons that open a page, dial a number, write an email, or send a value back.',
            }),
            value: nullable(
              Type.Object(
                { most: Type.Integer(), unit: Type.Enum(['bytes', 'characters']) },
                {
                  description: 'Maximum length of a value; null if only the general limit applies.',
                },
              ),
            ),
          }),
        ),
        carousel: Type.Boolean({
          description: 'Whether items of a collection with their own buttons become a carousel.',
        }),
        title: nullable(
          Type.String({ description: 'Where the channel shows the title of a message.' }),
        ),
        reply: Type.Boolean(),
        thread: Type.Boolean(),
        edit: Type.Boolean(),
        remove: Type.Boolean(),
        check: Type.Boolean({ description: 'Whether credentials can be checked.' }),
        live_check: Type.Boolean({
          description:
            'Whether the check is one request to the vendor, so that a form may make it while the user types.',
        }),
        repeats: Type.Boolean({
          description: 'Whether the channel detects duplicates of a retried message.',
        }),
        receive: Type.Array(Type.Enum(['hook', 'session', 'page']), {
          description: 'Ways in which messages arrive; empty if the channel only sends.',
        }),
        register: Type.Boolean({
          description: 'Whether the service can register its webhook URL with the vendor.',
        }),
        receipts: Type.Array(Type.String(), {
          description: 'Delivery reports of the channel.',
        }),
        templates: Type.Boolean({
          description: 'Whether the vendor has templates that messages can name.',
        }),
        window: nullable(
          Type.Number({
            description:
              "Hours after a person's message in which the vendor accepts free text; null if it always does.",
          }),
        ),
      },
      { description: 'Content the channel carries natively; other content degrades.' },
    ),
  },
  { title: 'Channel' },
);

const Trial = Type.Object(
  {
    integration_id: Type.Optional(Int64),
    ...credentialChanges,
  },
  { title: 'CredentialTrial' },
);

const TrialSchema = Type.Object(
  {
    ...CheckSchema.properties,
    renewed: Type.Object(credentialFields, {
      description:
        'Credentials that the channel replaced during the check, such as a single-use refresh token: save these instead of the ones you sent.',
    }),
  },
  { title: 'CredentialTrialResult' },
);

const tag = 'Channels';

export function channelRoutes({ store, delivery, sandbox }: Services): Route[] {
  const body = { data: CHANNELS.map((channel) => channelView(channel, sandbox !== undefined)) };
  return [
    openRoute({
      method: 'GET',
      path: '/1/channels',
      operationId: 'listChannels',
      tag,
      summary: 'List channels',
      description: 'All channels, with the credentials and features of each.',
      success: { status: 200, description: 'All channels.', schema: listOf(ChannelSchema) },
      handle: () => ok(body),
    }),
    openRoute({
      method: 'GET',
      path: '/1/channels/:name/guide',
      operationId: 'getChannelGuide',
      tag,
      summary: 'Get the setup guide of a channel',
      description:
        'The steps to get the credentials and to receive messages, as data for a form. `/docs/channels/{name}` has the complete page.',
      success: { status: 200, description: 'The guide.', schema: GuideSchema },
      problems: ['unknown_channel'],
      handle: async ({ params }) => ok(await guideTo(knownChannel(params['name'] ?? ''))),
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/channels/:name/check',
      operationId: 'checkCredentials',
      tag,
      summary: 'Check credentials before saving them',
      description:
        'Checks that they are complete and asks the channel to verify them, without sending anything. With `integration_id`, omitted fields come from that integration. Nothing is stored.',
      body: Trial,
      example: { token: '110201543:AAH…' },
      success: { status: 200, description: 'Result of the check.', schema: TrialSchema },
      problems: ['not_found', 'unknown_channel'],
      async handle(call) {
        const { caller, params, body: trial } = call;
        const channel = knownChannel(params['name'] ?? '');
        const { integration_id: id } = trial;
        const integration =
          id === undefined
            ? undefined
            : await store.integrations.get(caller.applicationId, parseId(id) ?? NO_ID);
        if (id !== undefined && !integration) throw notFound('the integration');
        // The simulator's credentials are invalid at the vendor.
        const stored = integration?.mode === 'live' ? integration.credentials : {};
        const credentials = changedCredentials(stored, trial);
        const missing = missingFrom(channel.name, channel, credentials);
        if (missing) return ok({ ...missing, renewed: {} });
        const { check, renewed } = await delivery.checkCredentials(
          channel,
          credentials,
          integration?.mode === 'live' ? integration : undefined,
        );
        return ok({ ...checkAnswer(check, channel.name), renewed });
      },
    }),
  ];
}

const channelView = (channel: Channel, hasSandbox: boolean) => ({
  ...baseView(channel),
  sandbox: hasSandbox && isSimulated(channel.name),
  can: capabilitiesOf(channel),
});

const baseView = ({
  name,
  title,
  category,
  summary,
  keywords,
  aliases,
  docs,
  dashboard,
  credentials,
  needs,
  needNames,
  recipient,
  limits,
  hook,
  options = [],
}: Channel) => ({
  name,
  title,
  category,
  summary,
  keywords: [...keywords],
  aliases: aliases ?? [],
  docs,
  dashboard: dashboard ?? null,
  credentials: credentials.map((field) => ({
    name: field.name,
    label: field.label,
    help: field.help,
    secret: field.secret,
    required: needs.every((set) => set.includes(field.name)),
    generate: field.generate ?? null,
    parts: field.parts ?? null,
    pattern: field.format?.pattern.source ?? null,
    hint: field.format?.hint ?? null,
  })),
  needs,
  need_names: [...(needNames ?? needs.map(() => title))],
  recipient: { form: recipient.format, example: recipient.example },
  limits,
  options: options.map(optionView),
  hook: hook ? { needs: hook.needs, setup: hook.setup } : null,
});

const optionView = ({ name, label, help, link, rule }: ChannelOption) => ({
  name,
  label,
  help,
  link: link ?? null,
  ...ruleView(rule),
});

function ruleView(rule: OptionRule) {
  switch (rule.type) {
    case 'boolean':
      return { type: rule.type };
    case 'integer': {
      const { type, min: minimum, max: maximum, unit } = rule;
      return { type, minimum, maximum, ...(unit && { unit }) };
    }
    case 'choice':
      return { type: rule.type, choices: [...rule.choices] };
    case 'text':
      return { type: rule.type, max_length: rule.maxLength, example: rule.example };
  }
}
