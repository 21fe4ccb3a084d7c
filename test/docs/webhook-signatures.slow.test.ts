import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { requirement } from '../support/requirement.ts';
import { snippetsOf } from './snippets.ts';

/* The functions of docs/webhooks.md accept genuine requests and refuse all others, in every language. */

interface Language {
  program: string;
  install: string;
  file: string;
  /** Calls the function with the request on standard input and prints `true` or `false`. */
  harness: string;
  args?: string[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: {
    program: 'node',
    install: 'install Node.js',
    file: 'verify.mjs',
    harness: `
import { readFileSync } from 'node:fs';
const { body, headers, secret } = JSON.parse(readFileSync(0, 'utf8'));
console.log(isGenuine(body, headers, secret));`,
  },
  python: {
    program: 'python3',
    install: 'apt-get install python3',
    file: 'verify.py',
    harness: `
import json
import sys

given = json.load(sys.stdin)
print(str(is_genuine(given["body"].encode(), given["headers"], given["secret"])).lower())`,
  },
  go: {
    program: 'go',
    install: 'apt-get install golang-go',
    file: 'verify.go',
    args: ['run'],
    harness: `
type request struct {
	Body, Secret string
	Headers      map[string]string
}

func main() {
	var given request
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	fmt.Println(isGenuine([]byte(given.Body), given.Headers, given.Secret))
}`,
  },
  php: {
    program: 'php',
    install: 'apt-get install php-cli',
    file: 'verify.php',
    harness: `
$given = json_decode(stream_get_contents(STDIN), true);
echo is_genuine($given['body'], $given['headers'], $given['secret']) ? "true\\n" : "false\\n";`,
  },
  ruby: {
    program: 'ruby',
    install: 'apt-get install ruby',
    file: 'verify.rb',
    harness: `
require "json"
given = JSON.parse($stdin.read)
puts genuine?(given["body"], given["headers"], given["secret"])`,
  },
};

const SECRET = `whsec_${Buffer.from('an example secret of 32 bytes!!!').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another example of 32 bytes long').toString('base64')}`;
const BODY = '{"id": 17, "type": "message.received", "text": "Grüße 👋"}';

function signed(secret = SECRET, at = new Date()) {
  const id = 'evt_17';
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, BODY),
  };
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

const CASES: readonly (readonly [string, boolean, { body?: string; headers: object }])[] = [
  ['a genuine request', true, { headers: signed() }],
  [
    'two signatures during a rotation',
    true,
    {
      headers: {
        ...signed(),
        'webhook-signature': `${signed(OTHER)['webhook-signature']} ${signed()['webhook-signature']}`,
      },
    },
  ],
  ['another secret', false, { headers: signed(OTHER) }],
  ['a changed body', false, { headers: signed(), body: BODY.replace('17', '18') }],
  ['another id', false, { headers: { ...signed(), 'webhook-id': 'evt_18' } }],
  ['an old request', false, { headers: signed(SECRET, ago(400)) }],
  ['a request from the future', false, { headers: signed(SECRET, ago(-400)) }],
  ['a time that is no number', false, { headers: { ...signed(), 'webhook-timestamp': 'x' } }],
  ['no signature', false, { headers: { ...signed(), 'webhook-signature': '' } }],
  ['no headers', false, { headers: {} }],
];

const snippets = snippetsOf('docs/webhooks.md').filter(({ notes }) => notes['run'] === 'verify');

it('docs/webhooks.md verifies signatures in five languages', () => {
  assert.deepEqual(
    snippets.map(({ language }) => language).toSorted(),
    Object.keys(LANGUAGES).toSorted(),
  );
});

for (const { language, text } of snippets) {
  const { program, install, file, harness, args = [] } = LANGUAGES[language] ?? {};
  const found = requirement(program ?? '', install ?? '');
  describe(`signatures in ${language}`, { skip: found.skip }, () => {
    it(`the function in ${language} accepts genuine requests only`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-verify-'));
      try {
        const path = join(folder, file ?? '');
        // Go wants all imports first.
        const imports = text.replace('import (', 'import (\n\t"encoding/json"\n\t"fmt"\n\t"os"');
        writeFileSync(path, `${language === 'go' ? imports : text}\n${harness}\n`);
        for (const [name, isGenuine, { body = BODY, headers }] of CASES) {
          const input = JSON.stringify({ body, headers, secret: SECRET });
          const command = language === 'js' ? process.execPath : (found.path ?? '');
          const env = { ...process.env, GOCACHE: join(folder, 'cache'), HOME: folder };
          const run = spawnSync(command, [...args, path], { input, encoding: 'utf8', env });
          assert.equal(run.stderr, '', name);
          assert.equal(run.stdout.trim(), String(isGenuine), name);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}
