import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fileName, mediaTypeOf } from './file-name.ts';

const AT = 'https://example.com/a/photo%20one.png?x=y.zip#z';

const CASES: readonly (readonly [string, string, string | undefined, string, string])[] = [
  ['is the given name', AT, 'Sunset.jpeg', 'image/jpeg', 'Sunset.jpeg'],
  ['defaults to the end of the URL', AT, undefined, 'image/png', 'photo one.png'],
  ['gets an extension from the media type', AT, 'Sunset', 'image/jpeg', 'Sunset.jpg'],
  ['gets no extension for an unknown media type', AT, 'Sunset', 'application/x-y', 'Sunset'],
  ['contains no path', AT, '../../etc/passwd', 'application/x-y', '_.._etc_passwd'],
  ['contains no Windows path', AT, 'C:\\a\\b.txt', 'text/plain', 'C_a_b.txt'],
  ['contains no line breaks', AT, 'a\r\nx-y: z', 'text/plain', 'a_x-y_ z.txt'],
  ['contains no bidirectional controls', AT, 'a\u202Egnp.exe', 'text/plain', 'a_gnp.exe'],
  ['contains no lone surrogates', AT, 'a\ud800.png', 'image/png', 'a\uFFFD.png'],
  ['has a default', 'https://example.com/', '', 'image/gif', 'file.gif'],
  ['stays encoded if the URL is malformed', 'https://example.com/%ff', '', 'x/y', '%ff'],
  ['is shortened to the limit', AT, `${'é'.repeat(300)}.png`, 'image/png', `${'é'.repeat(98)}.png`],
];

for (const [name, url, called, mediaType, expected] of CASES) {
  it(`the file name ${name}`, () => {
    assert.equal(fileName(url, called, mediaType), expected);
  });
}

it('the media type follows from the extension of the URL', () => {
  for (const [url, expected] of [
    [AT, 'image/png'],
    ['https://example.com/a.JPEG', 'image/jpeg'],
    ['https://example.com/%E2%82%AC.mp4?a=b.png', 'video/mp4'],
    ['https://example.com/png', undefined],
    ['https://example.com/a.constructor', undefined],
    ['https://example.com/', undefined],
    ['none', undefined],
  ] as const) {
    assert.equal(mediaTypeOf(url), expected, url);
  }
});
