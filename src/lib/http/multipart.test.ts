import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readForm } from '../../sandbox/wire/form.ts';
import { type FormValue, multipart } from './multipart.ts';

/** The form as another parser reads it. */
function read(fields: [string, FormValue][]): unknown[] | undefined {
  const { headers, body } = multipart(fields);
  return readForm(headers['content-type'], Buffer.from(body))?.map(
    ({ name, filename, mediaType, bytes }) =>
      filename === undefined
        ? [name, bytes.toString()]
        : [name, [filename, mediaType, bytes.toString('hex')]],
  );
}

const file = (name: string, mediaType = 'image/png', hex = '0d0a2d2d00ff') => ({
  name,
  mediaType,
  bytes: Buffer.from(hex, 'hex'),
});

describe('multipart form', () => {
  it('multipart form is parsed by another reader, byte for byte', () => {
    assert.deepEqual(
      read([
        ['text', 'é\r\n--x--\r\n'],
        ['files[0]', file('été 😀.png')],
        ['files[1]', file('empty', 'application/x-y+z', '')],
      ]),
      [
        ['text', 'é\r\n--x--\r\n'],
        ['files[0]', ['été 😀.png', 'image/png', '0d0a2d2d00ff']],
        ['files[1]', ['empty', 'application/x-y+z', '']],
      ],
    );
  });

  it('sets the media type of a text field', () => {
    const { body } = multipart([['payload_json', { text: '{}', mediaType: 'application/json' }]]);
    assert.match(
      Buffer.from(body).toString(),
      /name="payload_json"\r\ncontent-type: application\/json\r\n\r\n\{\}\r\n--/,
    );
  });

  it('lets no name or media type inject a header', () => {
    const { body } = multipart([
      ['a"\r\nx-one: 1', file('b"\r\n\r\nx\0\ud800', 'image/png\r\nx-two: 2')],
    ]);
    const [head] = Buffer.from(body).toString().split('\r\n\r\n');
    assert.deepEqual(head?.split('\r\n').slice(1), [
      'content-disposition: form-data; name="a%22%0D%0Ax-one: 1"; filename="b%22%0D%0A%0D%0Ax_\uFFFD"',
      'content-type: application/octet-stream',
    ]);
  });

  it('uses a new boundary each time, in the header and at the end', () => {
    const [one, other] = [multipart([]), multipart([])];
    assert.notEqual(one.headers['content-type'], other.headers['content-type']);
    const [, boundary] = one.headers['content-type'].split('=');
    assert.equal(Buffer.from(one.body).toString(), `--${boundary}--\r\n`);
  });
});
