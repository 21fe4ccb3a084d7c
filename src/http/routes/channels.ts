import Type from 'typebox';

import { capabilitiesOf } from '../../channels/capabilities.ts';
import type { Channel } from '../../channels/channel.ts';
import { CHANNELS } from '../../channels/index.ts';
import { BUTTON_KINDS } from '../../model/button.ts';
import { NO_ID, parseId } from '../../model/id.ts';
import { CREDENTIALS } from '../../model/integration.ts';
import {
  CheckSchema,
  answered,
  changedCredentials,
  knownChannel,
  missingFrom,
} from '../checking.ts';
import { type Route, applicationRoute, notFound, ok, openRoute } from '../route.ts';
import { Int64, credentialChanges, credentialFields, listOf, nullable } from '../schemas.ts';
import type { Services } from '../services.ts';

export const ChannelSchema = Type.Object(
  {
    name: Type.String({ examples: ['telegram'] }),
    title: Type.String(),
    aliases: Type.Array(Type.String()),
    docs: Type.String(),
    credentials: Type.Array(
      Type.Object({
        name: Type.Enum([...CREDENTIALS]),
        label: Type.String(),
        help: Type.String(),
        secret: Type.Boolean(),
        required: Type.Boolean({ description: 'Whether nothing can be sent without it.' }),
      }),
    ),
    needs: Type.Array(Type.Array(Type.String()), {
      description: 'Sets of credentials, any one of which is enough to send.',
    }),
    hook: nullable(
      Type.Object(
        {
          needs: Type.Array(Type.Array(Type.String())),
          setup: Type.String(),
        },
        {
          description:
            'Which credentials tell a genuine call of the vendor, and where its address goes.',
        },
      ),
    ),
    recipient: Type.Object({ form: Type.String(), example: Type.String() }),
    limits: Type.Array(Type.Object({ what: Type.String(), link: Type.String() })),
    can: Type.Object(
      {
        send: Type.Boolean(),
        text: nullable(Type.Integer({ description: 'How long one part of a text may be.' })),
        formatting: Type.Boolean(),
        image: Type.Boolean(),
        video: Type.Boolean(),
        audio: Type.Boolean(),
        document: Type.Boolean(),
        place: Type.Boolean(),
        buttons: nullable(
          Type.Object({
            most: Type.Integer(),
            label: Type.Integer({ description: 'How many characters a name may have.' }),
            kinds: Type.Array(Type.Enum([...BUTTON_KINDS]), {
              description:
                'Buttons that lead to a page, dial a number, write an email, or bring a value back.',
            }),
            value: nullable(
              Type.Object(
                { most: Type.Integer(), unit: Type.Enum(['bytes', 'characters']) },
                {
                  description:
                    'The longest value; null where there is no limit but that of the interface.',
                },
              ),
            ),
          }),
        ),
        carousel: Type.Boolean({
          description: 'Whether items of a collection with buttons of their own go side by side.',
        }),
        title: nullable(Type.String({ description: 'Where the title of a message goes.' })),
        reply: Type.Boolean(),
        thread: Type.Boolean(),
        edit: Type.Boolean(),
        remove: Type.Boolean(),
        check: Type.Boolean({ description: 'Whether credentials can be tried.' }),
        repeats: Type.Boolean({ description: 'Whether a second try is no duplicate.' }),
        receive: Type.Array(Type.Enum(['hook', 'session', 'page']), {
          description: 'How what people write comes back; empty where it does not.',
        }),
        register: Type.Boolean({ description: 'Whether the vendor can be told where to call.' }),
        receipts: Type.Array(Type.String(), {
          description: 'What is reported of messages that were sent.',
        }),
      },
      { description: 'What it can carry as it is; what it cannot degrades.' },
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
        'What the channel has replaced by being asked, such as a refresh token that is good for one use: to be saved in the place of what was sent.',
    }),
  },
  { title: 'CredentialTrialResult' },
);

const tag = 'Channels';

export function channelRoutes({ store, delivery }: Services): Route[] {
  const body = { data: CHANNELS.map(channelView) };
  return [
    openRoute({
      method: 'GET',
      path: '/1/channels',
      operationId: 'listChannels',
      tag,
      summary: 'List the channels',
      description: 'The catalogue: what an integration can be, and what each channel needs.',
      success: { status: 200, description: 'All of them.', schema: listOf(ChannelSchema) },
      handle: () => ok(body),
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/channels/:name/check',
      operationId: 'checkCredentials',
      tag,
      summary: 'Check credentials before they are saved',
      description:
        'Says whether they are what the channel needs, and asks the channel who we are, without sending anything. With `integration_id`, what is left out is taken from that integration. Nothing is stored.',
      body: Trial,
      example: { token: '110201543:AAH…' },
      success: { status: 200, description: 'What was found.', schema: TrialSchema },
      problems: ['not_found', 'unknown_channel'],
      async handle(call) {
        const { caller, params, body: given } = call;
        const channel = knownChannel(params['name'] ?? '');
        const { integration_id: id } = given;
        const integration =
          id === undefined
            ? undefined
            : await store.integrations.get(caller.applicationId, parseId(id) ?? NO_ID);
        if (id !== undefined && !integration) throw notFound('the integration');
        const credentials = changedCredentials(integration?.credentials ?? {}, given);
        const missing = missingFrom(channel.name, channel, credentials);
        if (missing) return ok({ ...missing, renewed: {} });
        const { check, renewed } = await delivery.tryOut(channel, credentials, integration);
        return ok({ ...answered(check, channel.name), renewed });
      },
    }),
  ];
}

const channelView = (channel: Channel) => ({
  ...ownView(channel),
  can: capabilitiesOf(channel),
});

const ownView = ({
  name,
  title,
  aliases,
  docs,
  credentials,
  needs,
  recipient,
  limits,
  hook,
}: Channel) => ({
  name,
  title,
  aliases: aliases ?? [],
  docs,
  credentials: credentials.map((field) => ({
    ...field,
    required: needs.every((set) => set.includes(field.name)),
  })),
  needs,
  recipient: { form: recipient.form, example: recipient.example },
  limits,
  hook: hook ? { needs: hook.needs, setup: hook.setup } : null,
});
