import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { attachmentNamed } from './content-disposition.ts';

describe('Content-Disposition', () => {
  for (const [name, header] of [
    [undefined, 'attachment'],
    ['a b.pdf', 'attachment; filename="a b.pdf"'],
    ['Größe.pdf', `attachment; filename="Gr__e.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf`],
    [
      '請求書.pdf',
      `attachment; filename="___.pdf"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.pdf`,
    ],
    ['a"(b)\r\n.txt', `attachment; filename="a_(b)__.txt"; filename*=UTF-8''a%22%28b%29%0D%0A.txt`],
    ['\ud83d.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
  ] as const) {
    it(`encodes the name ${JSON.stringify(name)}`, () =>
      assert.equal(attachmentNamed(name), header));
  }
});
