import Type from 'typebox';

import { Id, nullable } from './schemas.ts';

const fields = {
  amount: nullable(
    Type.String({
      description: 'A decimal number. Null if the vendor reports no amount; WhatsApp reports none.',
      examples: ['0.0075'],
    }),
  ),
  currency: nullable(Type.String({ description: 'ISO 4217.', examples: ['EUR'] })),
  category: nullable(
    Type.String({ description: "The vendor's category of the price.", examples: ['utility'] }),
  ),
};

export const CostSchema = Type.Object(
  { ...fields, billable: Type.Boolean({ description: 'Whether the vendor charges for it.' }) },
  { title: 'Cost', description: 'Cost of the message, if the vendor reports it.' },
);

export const CostTotalSchema = Type.Object(
  {
    application_id: Id,
    channel: Type.String(),
    ...fields,
    parts: Type.Integer({ description: 'The number of message parts with a reported cost.' }),
  },
  { title: 'CostTotal' },
);
