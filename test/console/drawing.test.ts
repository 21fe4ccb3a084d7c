import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { activityLine } from '../../console/src/messages/activity-text.ts';
import { drawMessage } from '../../console/src/messages/drawing/drawn.ts';
import { csvCell } from '../../console/src/messages/export/formats.ts';
import { currentWait, totalsOf, waitsOf } from '../../console/src/messages/waiting-times.ts';
import { cpuMs } from '../support/cpu.ts';
import { fc } from '../support/fast-check.ts';

const create = (object: object) => ({ type: 'Create', object });

describe('console: a message as a line of a list', () => {
  const line = (content: string, mediaType?: string) =>
    activityLine(create({ type: 'Note', content, mediaType }));

  it('markup is not part of the line', () => {
    for (const [markdown, shown] of [
      ['Order **1047** arrives *today*.', 'Order 1047 arrives today.'],
      ['# Title', 'Title'],
      ['[Track](https://example.com/a_b_c) `npm start` ~~not~~', 'Track npm start not'],
      ['2 * 3 * 4, snake_case_name, \\*literal\\*', '2 * 3 * 4, snake_case_name, *literal*'],
      ['**', '**'],
    ] as const) {
      assert.equal(line(markdown, 'text/markdown'), shown);
    }
    assert.equal(
      line('<p>Tom &amp; <b>Jerry</b></p><p>1 &lt; 2</p>', 'text/html'),
      'Tom & Jerry 1 < 2',
    );
    assert.equal(line('**Hello** <b>', 'text/plain'), '**Hello** <b>');
    assert.equal(line('**Hello**'), '**Hello**');
  });

  it('a long text costs little', () => {
    const took = cpuMs(() => {
      for (const sign of ['**a', '*a', '[a', '`', '<a', '_']) {
        for (const type of ['text/markdown', 'text/html']) line(sign.repeat(300_000), type);
      }
    });
    assert.ok(took < 1_000, `${took} ms`);
  });
});

describe('console: drawing of a message', () => {
  it('text, media, places, links, buttons and the quoted message become blocks', () => {
    const { action, quotes, blocks } = drawMessage(
      create({
        type: 'Note',
        content: '**Hello**',
        mediaType: 'text/markdown',
        inReplyTo: { id: 'greeting-1' },
        attachment: [
          { type: 'Button', name: 'Yes' },
          { type: 'Image', url: 'https://example.com/a%20b.png', content: 'Caption' },
          { type: 'Place', latitude: 52.5, longitude: 13.4, name: 'Berlin' },
          { type: 'Link', url: 'https://example.com/' },
          { type: 'Button', name: 'Call', url: 'tel:+49301' },
        ],
      }),
    );
    assert.equal(action, 'create');
    assert.equal(quotes, 'greeting-1');
    assert.deepEqual(blocks, [
      { kind: 'text', text: '**Hello**', markup: 'markdown' },
      {
        kind: 'file',
        type: 'image',
        name: 'a b.png',
        url: 'https://example.com/a%20b.png',
        mediaType: '',
        caption: 'Caption',
      },
      { kind: 'place', name: 'Berlin', latitude: 52.5, longitude: 13.4, caption: '' },
      { kind: 'link', name: 'https://example.com/', url: 'https://example.com/' },
      {
        kind: 'buttons',
        buttons: [
          { name: 'Yes', url: undefined },
          { name: 'Call', url: 'tel:+49301' },
        ],
      },
    ]);
  });

  it('edits and deletions name their message, and a collection draws its items', () => {
    const edit = drawMessage({ type: 'Update', object: { type: 'Note', id: 7, content: 'New' } });
    assert.deepEqual([edit.action, edit.target, edit.blocks.length], ['update', '7', 1]);
    const gone = drawMessage({ type: 'Delete', object: { type: 'Tombstone', id: 'a' } });
    assert.deepEqual([gone.action, gone.target, gone.blocks], ['delete', 'a', []]);
    const items = [
      { type: 'Note', content: 'One' },
      { type: 'Audio', url: 'https://example.com/a.ogg' },
    ];
    const { blocks } = drawMessage(create({ type: 'Collection', items }));
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ['text', 'file'],
    );
  });

  it('URLs with other schemes are never links', () => {
    for (const url of ['javascript:alert(1)', 'data:text/html,x', ' https://example.com', '//x']) {
      const { blocks } = drawMessage(
        create({
          type: 'Note',
          content: 'x',
          attachment: [
            { type: 'Image', url },
            { type: 'Link', url },
            { type: 'Button', name: 'b', url },
          ],
        }),
      );
      assert.ok(!blocks.some((block) => 'url' in block && block.url !== undefined), url);
      const buttons = blocks.flatMap((block) => (block.kind === 'buttons' ? block.buttons : []));
      assert.deepEqual(buttons, [{ name: 'b', url: undefined }]);
    }
  });

  it('an activity of any shape is drawn', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.ok(Array.isArray(drawMessage(value).blocks));
        assert.ok(Array.isArray(drawMessage(create(value as object)).blocks));
      }),
    );
  });
});

describe('console: waiting times of a message', () => {
  const attempt = (number: number, outcome: 'limited' | 'transient' | 'sent', second: number) => ({
    number,
    outcome,
    started_at: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString().slice(0, 19),
    duration_ms: 500,
    part: 1,
    status: null,
    code: null,
    detail: null,
    request: null,
    answer: null,
  });
  const message = { created_at: '2026-01-01T00:00:00' };

  it('each gap has the cause of the attempt before it', () => {
    const attempts = [
      attempt(1, 'limited', 5),
      attempt(2, 'transient', 83),
      attempt(3, 'limited', 90),
      attempt(4, 'sent', 100),
    ];
    const waits = waitsOf(message, attempts);
    assert.deepEqual(waits, [
      { cause: 'first_attempt', millis: 5_000, before: 1 },
      { cause: 'rate_limit', millis: 77_500, before: 2 },
      { cause: 'retry', millis: 6_500, before: 3 },
      { cause: 'rate_limit', millis: 9_500, before: 4 },
    ]);
    assert.deepEqual(totalsOf(waits), [
      { cause: 'rate_limit', millis: 87_000 },
      { cause: 'retry', millis: 6_500 },
      { cause: 'first_attempt', millis: 5_000 },
    ]);
    assert.equal(currentWait(message, attempts, Date.UTC(2026, 0, 1, 0, 1, 50)), 9_500);
  });

  it('a gap below the precision of the API is no wait, and missing attempts have no cause', () => {
    assert.deepEqual(waitsOf(message, [attempt(1, 'sent', 1)]), []);
    assert.deepEqual(waitsOf(message, [attempt(7, 'sent', 60)]), [
      { cause: 'unknown', millis: 60_000, before: 7 },
    ]);
  });
});

describe('console: export as CSV', () => {
  for (const [value, cell] of [
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+4915100', "'+4915100"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    [' =cmd', "' =cmd"],
    ['"=1"', `"'""=1"""`],
    ['＝1', "'＝1"],
    [-2, '-2'],
    [null, ''],
    [undefined, ''],
  ] as const) {
    it(`the cell ${JSON.stringify(value)} cannot become a formula or break its row`, () => {
      assert.equal(csvCell(value), cell);
    });
  }
});
