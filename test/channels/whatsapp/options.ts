import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type WhatsAppCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: 'wamid.1' } as const;

export const OPTION_CASES: readonly WhatsAppCase[] = [
  ...[true, false].map((isShown): WhatsAppCase => ({
    it: `sends with a link preview: ${isShown}`,
    message: { text: 'https://example.com/', options: { link_preview: isShown } },
    sees: [{ json: { text: { body: 'https://example.com/', preview_url: isShown } } }],
    outcome: SENT,
  })),
  {
    it: 'sends an image, which has no link preview',
    message: {
      object: { type: 'Image', url: 'https://example.com/a.png' },
      options: { link_preview: true },
    },
    sees: [{ json: { image: { link: 'https://example.com/a.png' } } }],
    outcome: SENT,
  },
];
