import { FIRST } from '../../emulators/ntfy.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type NtfyCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;

/** As long as the options may be. */
const LONGEST = {
  priority: 'max',
  tags: '👋'.repeat(50),
  click: `https://example.com/${'x'.repeat(280)}`,
  icon: `https://example.com/${'y'.repeat(280)}`,
};

export const OPTION_CASES: readonly NtfyCase[] = [
  ...['min', 'low', 'default', 'high', 'max'].map((priority, i): NtfyCase => ({
    it: `sends with priority ${priority}`,
    message: { options: { priority } },
    sees: [{ json: { priority: i + 1 } }],
    outcome: SENT,
  })),
  {
    it: 'sends tags, a click URL and an icon',
    message: {
      options: {
        tags: 'warning, backup,',
        click: 'https://example.com/7',
        icon: 'https://example.com/a.png',
      },
    },
    sees: [
      {
        json: {
          tags: ['warning', 'backup'],
          click: 'https://example.com/7',
          icon: 'https://example.com/a.png',
        },
      },
    ],
    outcome: SENT,
  },
  {
    it: 'sends the longest options below the longest title and text',
    message: {
      object: { type: 'Note', name: 'x'.repeat(498), content: '"'.repeat(3245) },
      options: LONGEST,
    },
    sees: [{ json: { priority: 5 } }],
    outcome: SENT,
  },
];
