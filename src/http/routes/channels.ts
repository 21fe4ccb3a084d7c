import Type from 'typebox';

import type { Channel } from '../../channels/channel.ts';
import { CHANNELS } from '../../channels/index.ts';
import { CREDENTIALS } from '../../model/integration.ts';
import { type Route, ok, openRoute } from '../route.ts';
import { listOf } from '../schemas.ts';

const ChannelSchema = Type.Object(
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
    recipient: Type.Object({ form: Type.String(), example: Type.String() }),
    limits: Type.Array(Type.Object({ what: Type.String(), link: Type.String() })),
  },
  { title: 'Channel' },
);

export function channelRoutes(): Route[] {
  const body = { data: CHANNELS.map(channelView) };
  return [
    openRoute({
      method: 'GET',
      path: '/1/channels',
      tag: 'Channels',
      summary: 'List the channels',
      description: 'The catalogue: what an integration can be, and what each channel needs.',
      success: { status: 200, description: 'All of them.', schema: listOf(ChannelSchema) },
      handle: () => ok(body),
    }),
  ];
}

const channelView = ({
  name,
  title,
  aliases,
  docs,
  credentials,
  needs,
  recipient,
  limits,
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
});
