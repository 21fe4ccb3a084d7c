import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fileName, mediaTypeOf } from './file-name.ts';

const AT = 'https://example.com/a/photo%20one.png?x=y.zip#z';

const CASES: readonly (readonly [string, string, string | undefined, string, string])[] = [
  ['what it is called', AT, 'Sunset.jpeg', 'image/jpeg', 'Sunset.jpeg'],
  ['as its address ends', AT, undefined, 'image/png', 'photo one.png'],
  ['with an extension', AT, 'Sunset', 'image/jpeg', 'Sunset.jpg'],
  ['without one for what is not known', AT, 'Sunset', 'application/x-y', 'Sunset'],
  ['without a path', AT, '../../etc/passwd', 'application/x-y', '_.._etc_passwd'],
  ['without a path of Windows', AT, 'C:\\a\\b.txt', 'text/plain', 'C_a_b.txt'],
  ['without line breaks', AT, 'a\r\nx-y: z', 'text/plain', 'a_x-y_ z.txt'],
  ['without signs that turn it around', AT, 'a\u202Egnp.exe', 'text/plain', 'a_gnp.exe'],
  ['without half characters', AT, 'a\ud800.png', 'image/png', 'a\uFFFD.png'],
  ['somehow when it has no name', 'https://example.com/', '', 'image/gif', 'file.gif'],
  ['somehow when its address cannot be read', 'https://example.com/%ff', '', 'x/y', '%ff'],
  ['no longer than it may be', AT, `${'é'.repeat(300)}.png`, 'image/png', `${'é'.repeat(98)}.png`],
];

for (const [name, url, called, mediaType, expected] of CASES) {
  it(`a file is called ${name}`, () => {
    assert.equal(fileName(url, called, mediaType), expected);
  });
}

it('says what a file is by how its address ends, where that says it', () => {
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
