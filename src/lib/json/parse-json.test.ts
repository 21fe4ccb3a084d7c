import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/support/cpu.ts';
import { fc } from '../../../test/support/fast-check.ts';
import {
  JsonError,
  MAX_DEPTH,
  MAX_MEMBERS,
  MAX_VALUES,
  MAX_VALUES_BESIDE_LONG_NUMBERS,
  parseJson,
  pointerTo,
  rawMembers,
} from './parse-json.ts';

function faultOf(text: string): { fault: string; pointer: string | undefined } {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return { fault: error.fault, pointer: error.pointer };
  }
  return assert.fail(`nothing was wrong with ${text.slice(0, 200)}`);
}

/** A JSON string with every character escaped. */
function escaped(text: string): string {
  const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

function nested(depth: number, open = '[', close = ']'): string {
  return open.repeat(depth) + '1' + close.repeat(depth);
}

/** Whether its JSON contains an integer that a double may have rounded. */
function hasLargeInteger(value: unknown): boolean {
  if (typeof value === 'number') return /^-?\d{16,}$/.test(JSON.stringify(value));
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLargeInteger);
}

/** Keys made of the characters that are special in pointers, strings and objects. */
const trickyText = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    '~',
    '/',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    ' ',
    'é',
    '😀',
  ),
  maxLength: 5,
});

const plainJson = fc
  .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
  .filter((value) => !hasLargeInteger(value) && !JSON.stringify(value).includes('__proto__'));

describe('parseJson', () => {
  it('agrees with JSON.parse on valid input', () => {
    fc.assert(
      fc.property(plainJson, fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes('\\u'));
        assert.deepStrictEqual(parseJson(text), JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with JSON.parse on escaped strings', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0'));
    fc.assert(fc.property(text, (each) => assert.equal(parseJson(escaped(each)), each)));
  });

  it('rejects invalid JSON without a pointer', () => {
    for (const text of [
      '',
      ' ',
      '{',
      '{"a":1,}',
      '[1,]',
      '{a:1}',
      "{'a':1}",
      '01',
      '+1',
      '.5',
      'NaN',
      'Infinity',
      'undefined',
      '"\u0000"',
      '"a\nb"',
      '"\\x41"',
      '"unfinished',
      '"unfinished\\"',
      '{"a":1}}',
      '[1]]',
      '// no\n1',
      '\uFEFF1',
      '1 2',
    ]) {
      assert.deepEqual(faultOf(text), { fault: 'syntax', pointer: undefined }, text);
    }
  });

  describe('numbers', () => {
    it('reads integers beyond double precision as exact BigInt', () => {
      for (const digits of [
        '9007199254740992',
        '9007199254740993',
        '-9007199254740993',
        '9223372036854775807',
        '-9223372036854775808',
        '123456789012345678901234567890',
      ]) {
        const whole = BigInt(digits);
        assert.equal(parseJson(digits), whole);
        assert.equal(parseJson(` \n${digits}\t`), whole);
        assert.deepEqual(parseJson(`[${digits},1, ${digits}]`), [whole, 1, whole]);
        assert.deepEqual(parseJson(`{"id":${digits},"n":7}`), { id: whole, n: 7 });
      }
    });

    it('reads every int64 without rounding', () => {
      fc.assert(
        fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (whole) => {
          const read = parseJson(`{"id":${whole}}`);
          const safe = whole >= Number.MIN_SAFE_INTEGER && whole <= Number.MAX_SAFE_INTEGER;
          assert.deepEqual(read, { id: safe ? Number(whole) : whole });
        }),
      );
    });

    it('keeps safe integers, fractions and exponents as numbers', () => {
      for (const [text, value] of [
        ['9007199254740991', Number.MAX_SAFE_INTEGER],
        ['-9007199254740991', Number.MIN_SAFE_INTEGER],
        ['0.1234567890123456', 0.1234567890123456],
        ['12345678901234567.5', Number('12345678901234567.5')],
        ['1e20', 1e20],
        ['12345678901234567e1', Number('12345678901234567e1')],
        ['-2.5E-3', -0.0025],
      ] as const) {
        assert.deepEqual(parseJson(`[${text},9007199254740993]`), [value, 9007199254740993n]);
        assert.equal(parseJson(text), value);
      }
    });

    it('leaves long digits in strings and keys alone', () => {
      const text = '{"9007199254740993":"9007199254740993, 9007199254740993"}';
      assert.deepEqual(parseJson(text), {
        '9007199254740993': '9007199254740993, 9007199254740993',
      });
    });
  });

  describe('duplicate keys', () => {
    it('reports their place at any depth and in any spelling', () => {
      const step = fc.oneof(trickyText, fc.nat(3));
      fc.assert(
        fc.property(
          fc.array(step, { maxLength: 8 }),
          trickyText,
          fc.boolean(),
          (path, key, escape) => {
            const again = escape ? escaped(key) : JSON.stringify(key);
            const noise = '{"a":{"a":["a","}",{"a":":"}]}}';
            const duplicate = `{${JSON.stringify(key)} : ${noise} , ${again}\n: 2}`;
            const text = path.reduceRight<string>(
              (inner, at) =>
                typeof at === 'number'
                  ? `[${`${noise}, `.repeat(at)}${inner}]`
                  : `{${JSON.stringify(at)}:${inner}}`,
              duplicate,
            );
            const pointer = pointerTo([...path, key]);
            assert.deepEqual(faultOf(text), { fault: 'duplicate_key', pointer });
          },
        ),
        { numRuns: 300 },
      );
    });

    it('escapes ~ and / in pointers as RFC 6901 requires', () => {
      assert.equal(faultOf('{"a/b":[0,{"m~n":1,"m~n":2}]}').pointer, '/a~1b/1/m~0n');
      assert.equal(faultOf('{"":{"~1":0,"~1":0}}').pointer, '//~01');
    });

    it('recognizes an escaped key', () => {
      const found = { fault: 'duplicate_key', pointer: '/a' };
      assert.deepEqual(faultOf(String.raw`{"a":1,"\u0061":2}`), found);
    });

    it('accepts the same key in different objects and as a value', () => {
      const text = '{"a":{"a":"a"},"b":[{"a":1},{"a":2}],"c":"a","d":["a","a"]}';
      assert.deepEqual(parseJson(text), JSON.parse(text));
    });
  });

  it(`accepts ${MAX_DEPTH} levels and no more`, () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ] as const) {
      const levels = open === '[{"a":' ? MAX_DEPTH / 2 : MAX_DEPTH;
      const text = nested(levels, open, close);
      assert.deepEqual(parseJson(text), JSON.parse(text));
      assert.equal(faultOf(`[${text}]`).fault, 'too_deep');
    }
    assert.equal(parseJson(`"${'['.repeat(100)}"`), '['.repeat(100));
  });

  it('rejects __proto__ as a key in any spelling, and accepts it as a value', () => {
    const written = ['"__proto__"', String.raw`"__pr\u006fto__"`, escaped('__proto__')];
    for (const key of written) {
      const found = { fault: 'forbidden_key', pointer: '/a/0/__proto__' };
      assert.deepEqual(faultOf(`{"a":[{${key}:{"admin":true}}]}`), found);
      assert.equal(parseJson(key), '__proto__');
    }
    assert.deepEqual(parseJson('{"constructor":1,"__proto":2}'), { constructor: 1, __proto: 2 });
  });

  it('rejects NUL and lone surrogates, in values and keys', () => {
    for (const bad of [
      String.raw`\u0000`,
      String.raw`\ud800`,
      String.raw`\udc00x`,
      String.raw`\udc00\ud800`,
    ]) {
      assert.deepEqual(faultOf(`{"a":[1,"x${bad}"]}`), { fault: 'bad_text', pointer: '/a/1' }, bad);
      const { fault, pointer } = faultOf(`{"a":{"k${bad}":1}}`);
      assert.equal(fault, 'bad_text', bad);
      assert.ok(pointer?.startsWith('/a/k'), pointer);
    }
    assert.equal(parseJson(String.raw`"\ud83d\ude00"`), '😀');
  });
});

describe('limits of parseJson', () => {
  const faultIn = (text: string) => {
    try {
      parseJson(text);
      return undefined;
    } catch (error) {
      return error instanceof JsonError ? error.fault : String(error);
    }
  };
  const list = (count: number, value = '1') => `[${Array(count).fill(value).join(',')}]`;
  const object = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;

  it('limits of parseJson apply to values, members of an object, and values beside long numbers', () => {
    assert.equal(faultIn(list(MAX_VALUES - 1)), undefined);
    assert.equal(faultIn(list(MAX_VALUES)), 'too_many');
    assert.equal(faultIn(object(MAX_MEMBERS)), undefined);
    assert.equal(faultIn(object(MAX_MEMBERS + 1)), 'too_many');
    assert.equal(faultIn(list(40, object(MAX_MEMBERS))), undefined);
    const long = '12345678901234567890';
    assert.equal(faultIn(list(MAX_VALUES_BESIDE_LONG_NUMBERS - 1, long)), undefined);
    assert.equal(faultIn(list(MAX_VALUES_BESIDE_LONG_NUMBERS, long)), 'too_many');
  });

  it('ignore the contents of strings', () => {
    assert.equal(faultIn(JSON.stringify(','.repeat(MAX_VALUES + 1))), undefined);
    assert.equal(faultIn(JSON.stringify({ a: '":'.repeat(MAX_MEMBERS + 1) })), undefined);
  });
});

describe('rawMembers', () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });
  const raw = fc
    .tuple(fc.oneof(plainJson, trickyText), fc.nat(2))
    .map(([value, indent]) => JSON.stringify(value, null, indent));

  it('returns each member of an object as written', () => {
    const member = fc.record({ key: trickyText, escape: fc.boolean(), raw, space });
    const members = fc.uniqueArray(member, { selector: ({ key }) => key, maxLength: 6 });
    fc.assert(
      fc.property(members, space, (list, around) => {
        const text = list.map(
          (each) =>
            `${each.space}${each.escape ? escaped(each.key) : JSON.stringify(each.key)}${around}:${around}${each.raw}${each.space}`,
        );
        assert.deepEqual(
          [...rawMembers(`${around}{${text.join(',')}${around}}${around}`)],
          list.map((each) => [each.key, each.raw]),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('returns each item of an array as written, by position', () => {
    fc.assert(
      fc.property(fc.array(raw, { maxLength: 6 }), space, (items, around) => {
        const text = `${around}[${items.map((item) => around + item + around).join(',')}]`;
        assert.deepEqual(
          [...rawMembers(text)],
          items.map((item, i) => [String(i), item]),
        );
      }),
    );
  });

  it('keeps numbers, escapes and spacing that parsing loses', () => {
    const text = String.raw`{ "a" : 1.50e+3 , "b":"\u0041\/", "c" : { "x" :[ 1 ] },"":[ ] }`;
    assert.deepEqual(
      [...rawMembers(text)],
      [
        ['a', '1.50e+3'],
        ['b', String.raw`"\u0041\/"`],
        ['c', '{ "x" :[ 1 ] }'],
        ['', '[ ]'],
      ],
    );
  });

  it('returns nothing for values without members', () => {
    for (const text of ['{}', '[]', ' { } ', '[\n]', '1', '"{}"', 'null']) {
      assert.equal(rawMembers(text).size, 0, text);
    }
  });
});

describe('256 KiB of hostile JSON', () => {
  const SIZE = 256 * 1024;
  const fill = (part: string) => part.repeat(Math.floor(SIZE / part.length));
  const hostile: Record<string, string> = {
    quotes: fill('"'),
    backslashes: `"${fill('\\')}"`,
    'an unfinished string of backslashes': `"${fill('\\')}`,
    'escaped quotes': `"${fill('\\"')}"`,
    'escaped backslashes and quotes': `[${fill('"\\\\",')}""]`,
    brackets: fill('['),
    braces: fill('{"a":'),
    'closing brackets': fill(']'),
    colons: fill(':'),
    digits: fill('1'),
    'short numbers': `[${fill('123456789012345,')}1]`,
    spaces: `[${fill(' ')}1]`,
    'spaces after strings': `{"a":1,"a":[${fill('""          ,')}1]}`,
    'many keys, the last one a duplicate': `{${Array.from({ length: 999 }, (_, i) => `"k${i}":"",`).join('')}"k998":1}`,
    'many strings before a duplicate key': `{"a":[${fill('"x",')}1],"a":1}`,
    'many escapes': `[${fill('"\\u0041",')}1]`,
  };

  for (const [what, text] of Object.entries(hostile)) {
    it(`256 KiB of hostile JSON is parsed quickly: ${what}`, () => {
      const elapsedMs = cpuMs(() => {
        try {
          parseJson(text);
        } catch (error) {
          assert.ok(error instanceof JsonError, String(error));
        }
      });
      // Each case takes less than 100 ms; quadratic time would be half a minute.
      assert.ok(elapsedMs < 3000, `${elapsedMs} ms`);
    });
  }
});
