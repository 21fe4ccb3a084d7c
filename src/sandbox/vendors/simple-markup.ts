import type { Look, Run } from '../../lib/rich-text/rich-text.ts';
import { type ShownContent, shownText } from '../shown.ts';

/* Text with simple markers, as WhatsApp shows it: *bold*, _italic_, ~strike~, `code`, ```block```. */

const MARKERS = [
  ['```', { block: true }],
  ['`', { code: true }],
  ['*', { bold: true }],
  ['_', { italic: true }],
  ['~', { strike: true }],
] as const satisfies [string, Look][];

const PATTERNS = MARKERS.map(([marker, look]) => {
  const mark = marker.replace('*', String.raw`\*`);
  const inner = marker.startsWith('`') ? `[^\`]+?` : String.raw`\S(?:[^\n]*?\S)?`;
  return {
    look,
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])${mark}(${inner})${mark}(?![\p{L}\p{N}])`, 'u'),
  };
});

/** https://faq.whatsapp.com/539178204879377 */
export function readSimpleMarkup(text: string): Pick<ShownContent, 'text' | 'runs'> {
  return shownText(runsOf(text, {}));
}

function runsOf(text: string, look: Look): Run[] {
  if (text === '') return [];
  const firstMatch = PATTERNS.flatMap(({ pattern, look: added }) => {
    const match = pattern.exec(text);
    return match ? [{ match, added }] : [];
  }).toSorted((a, b) => a.match.index - b.match.index)[0];
  if (!firstMatch) return [{ text, look }];
  const { match, added } = firstMatch;
  const [whole, inner = ''] = match;
  const within = { ...look, ...added };
  const isCode = 'code' in added || 'block' in added;
  return [
    ...runsOf(text.slice(0, match.index), look),
    ...(isCode ? [{ text: inner, look: within }] : runsOf(inner, within)),
    ...runsOf(text.slice(match.index + whole.length), look),
  ];
}
