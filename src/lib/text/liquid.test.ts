import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/support/cpu.ts';
import { LiquidFault, checkLiquid, renderLiquid } from './liquid.ts';

describe('Liquid', () => {
  it('Liquid writes values so that they stay text in the markup around them', () => {
    const values = { name: '*A* <b>"B"</b>' };
    assert.equal(renderLiquid('Hi {{ name }}', values, 'plain'), 'Hi *A* <b>"B"</b>');
    assert.equal(
      renderLiquid('Hi {{ name }}', values, 'markdown'),
      String.raw`Hi \*A\* \<b\>"B"\</b\>`,
    );
    assert.equal(
      renderLiquid('Hi {{ name }}', values, 'html'),
      'Hi *A* &lt;b&gt;&#34;B&#34;&lt;/b&gt;',
    );
  });

  it('Liquid has conditions, loops and defaults', () => {
    const source =
      '{% for i in items %}{{ i.name }}{% unless forloop.last %}, {% endunless %}{% endfor %}' +
      "{% if gift %} as a gift{% endif %} for {{ to | default: 'you' }}";
    const values = { items: [{ name: 'a' }, { name: 'b' }] };
    assert.equal(renderLiquid(source, values, 'plain'), 'a, b for you');
  });

  it('Liquid refuses what it cannot parse or what has no value', () => {
    for (const source of ['{% if %}', '{{ a | shout }}', '{% nothing %}', '{% for x in y %}']) {
      assert.throws(() => checkLiquid(source), LiquidFault, source);
    }
    assert.throws(() => renderLiquid('{{ missing }}', {}, 'plain'), LiquidFault);
  });

  it('Liquid reaches neither files nor prototypes', () => {
    for (const source of [
      "{% include '/etc/passwd' %}",
      "{% render 'package.json' %}",
      "{% layout 'package.json' %}",
      '{{ name.constructor }}',
      '{{ name.__proto__ }}',
      '{{ constructor }}',
    ]) {
      assert.throws(() => renderLiquid(source, { name: 'Ada' }, 'plain'), LiquidFault, source);
    }
  });

  for (const [what, source] of [
    ['an endless loop', '{% for i in (1..1000000000) %}x{% endfor %}'],
    ['nested loops', '{% for i in (1..9000) %}{% for j in (1..9000) %}x{% endfor %}{% endfor %}'],
    [
      'a text that doubles',
      `{% assign a = 'xxxxxxxxxx' %}${'{% assign a = a | append: a %}'.repeat(60)}{{ a }}`,
    ],
    [
      'a text that is replaced by a longer one',
      `{% assign a = 'x' | ljust: 9 %}${"{% assign a = a | replace: 'x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' %}".repeat(9)}{{ a }}`,
    ],
    ['deep nesting', '{% if true %}'.repeat(4_000)],
    ['a long output', `${'x'.repeat(40_000)}{{ a }}`],
  ] as const) {
    it(`refuses ${what} within a bounded time`, () => {
      const values = { a: 'x'.repeat(40_000) };
      const took = cpuMs(() =>
        assert.throws(() => renderLiquid(source, values, 'plain'), LiquidFault),
      );
      assert.ok(took < 2_000, `it took ${took} ms`);
    });
  }
});
