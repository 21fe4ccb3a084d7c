import type { Activity, MessageOptions } from '../api/types.ts';

/* Code snippets that send a message. */

export interface CallParts {
  /** Base URL of the service. */
  url: string;
  /** An application token; without one, the snippet names a variable. */
  token?: string | undefined;
  activity: unknown;
  options?: MessageOptions | undefined;
  /** Other members of the body, beside the activity. */
  instructions?: object | undefined;
}

export function asCurl({ url, token, activity, options = {}, instructions }: CallParts): string {
  const hasOptions = Object.keys(options).length > 0;
  const members = { message: activity, ...(hasOptions && { options }), ...instructions };
  const body = JSON.stringify(members, null, 2);
  return [
    `curl ${shellQuoted(`${url}/1/message`)} \\`,
    token === undefined
      ? `  -H "Authorization: Bearer $SWITCHBOARD_TOKEN" \\`
      : `  -H ${shellQuoted(`Authorization: Bearer ${token}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuoted(body)}`,
  ].join('\n');
}

export function asTypeScript({ url, token, activity }: CallParts): string {
  const secret = token === undefined ? 'process.env.SWITCHBOARD_TOKEN' : JSON.stringify(token);
  const message = JSON.stringify(activity, null, 2).replaceAll('\n', '\n    ');
  return `const token = ${secret};

const response = await fetch(${JSON.stringify(`${url}/1/message`)}, {
  method: "POST",
  headers: {
    "Authorization": \`Bearer \${token}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({
    message: ${message},
  }),
});
console.log(response.status, await response.json());
`;
}

/** With the standard library only. */
export function asPython({ url, token, activity }: CallParts): string {
  const secret = token === undefined ? 'os.environ["SWITCHBOARD_TOKEN"]' : JSON.stringify(token);
  const message = pythonLiteral(activity).replaceAll('\n', '\n    ');
  return `import json
${token === undefined ? 'import os\n' : ''}from urllib.request import Request, urlopen

token = ${secret}

body = {
    "message": ${message},
}
request = Request(
    ${JSON.stringify(`${url}/1/message`)},
    data=json.dumps(body).encode(),
    headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
)
with urlopen(request) as response:
    print(response.status, json.load(response))
`;
}

/** JSON as Python: strings and numbers are written alike, other values have other names. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Array.isArray(value)
    ? value.map(pythonLiteral)
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${pythonLiteral(each)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  const lines = members.map((member) => `    ${member.replaceAll('\n', '\n    ')},`);
  return [open, ...lines, close].join('\n');
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A text message through one integration. */
export function textTo(integration: number, to: string, content: string): Activity {
  return {
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
    generator: { type: 'Service', id: String(integration) },
    to: { type: 'Person', id: to },
    object: { type: 'Note', content },
  };
}
