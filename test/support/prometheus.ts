import assert from 'node:assert/strict';

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME}(?:\\{${LABEL}(?:,${LABEL})*\\})?) (\\S+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);

export interface Family {
  type: string | undefined;
  help: string | undefined;
  /** The labels of all its samples, except the bound of a bucket. */
  labels: Set<string>;
}

export interface Exposition {
  /** By name with labels, as written. */
  samples: ReadonlyMap<string, number>;
  families: ReadonlyMap<string, Family>;
}

/** Parses https://prometheus.io/docs/instrumenting/exposition_formats/; throws on any invalid line. */
export function parsePrometheus(text: string): Exposition {
  const samples = new Map<string, number>();
  const families = new Map<string, Family>();
  const family = (name: string): Family => {
    const found = families.get(name) ?? { type: undefined, help: undefined, labels: new Set() };
    families.set(name, found);
    return found;
  };
  assert.ok(text.endsWith('\n'));
  for (const line of text.split('\n').filter(Boolean)) {
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (typed !== undefined) family(typed).type = type;
    const [, helped, help] = HELP.exec(line) ?? [];
    if (helped !== undefined) family(helped).help = help;
    if (typed !== undefined || helped !== undefined) continue;
    const [, name = '', value = ''] = SAMPLE.exec(line) ?? [];
    assert.ok(name, `invalid line: ${line}`);
    assert.ok(!samples.has(name), `duplicate: ${name}`);
    const number = Number(value.replace('+Inf', 'Infinity').replace('Nan', 'NaN'));
    assert.ok(value === 'Nan' || !Number.isNaN(number), line);
    samples.set(name, number);
    const plain = name.replace(/\{.*/, '');
    const whole = families.get(plain) ?? families.get(plain.replace(/_(bucket|sum|count)$/, ''));
    assert.ok(whole?.type, `without a type: ${line}`);
    for (const [, label = ''] of name.matchAll(/(\w+)="/g)) {
      if (label !== 'le') whole.labels.add(label);
    }
  }
  return { samples, families };
}
