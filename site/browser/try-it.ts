import { element } from './element.ts';
import { currentToken } from './session-token.ts';

/* A form that makes a call of the API as the signed-in user of the console. */

interface CallDescription {
  method: string;
  path: string;
  actsForApplication: boolean;
  parameters: { name: string; in: 'path' | 'query'; required: boolean; choices?: string[] }[];
  body?: string;
}

export function addTryIt(): void {
  for (const place of document.querySelectorAll<HTMLElement>('.try[data-call]')) {
    const call = JSON.parse(place.dataset['call'] ?? '{}') as CallDescription;
    const open = element('button', { type: 'button' }, 'Try it');
    open.addEventListener('click', () => {
      open.disabled = true;
      void show(place, call).finally(() => (open.disabled = false));
    });
    place.append(open);
  }
}

async function show(place: HTMLElement, call: CallDescription): Promise<void> {
  const token = await currentToken().catch(() => undefined);
  if (token === undefined) {
    place.replaceChildren(
      element(
        'p',
        { role: 'status' },
        'Requests are sent as the signed-in user. ',
        element('a', { href: '/app' }, 'Sign in to the console'),
        ', then reload this page.',
      ),
    );
    return;
  }
  const applications = call.actsForApplication ? await listApplications(token) : [];
  const form = buildForm(call, applications);
  place.replaceChildren(form);
  form.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
}

interface Application {
  id: number;
  name: string;
}

async function listApplications(token: string): Promise<Application[]> {
  const response = await fetch('/1/applications', {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) return [];
  return ((await response.json()) as { data: Application[] }).data;
}

function buildForm(call: CallDescription, applications: readonly Application[]): HTMLFormElement {
  const form = element('form', { 'aria-label': `${call.method} ${call.path}` });
  if (call.actsForApplication) {
    const choice = element('select', { name: 'application' });
    for (const { id, name } of applications) {
      choice.append(element('option', { value: String(id) }, `${name} (${id})`));
    }
    form.append(element('label', {}, 'Application', choice));
  }
  for (const parameter of call.parameters) form.append(parameterField(parameter));
  if (call.body !== undefined) {
    const text = element('textarea', { name: 'body', spellcheck: 'false' });
    text.value = call.body;
    form.append(element('label', {}, 'Body', text));
  }
  if (call.method !== 'GET') {
    form.append(element('p', { class: 'type' }, 'This call changes data of your team.'));
  }
  const output = element('div', { role: 'status' });
  form.append(element('button', { type: 'submit' }, `Send ${call.method} request`), output);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, call, output);
  });
  return form;
}

function parameterField({ name, required, choices }: CallDescription['parameters'][number]) {
  const label = required ? name : `${name} (optional)`;
  if (!choices) {
    const attributes = { name, autocomplete: 'off', ...(required && { required: '' }) };
    return element('label', {}, label, element('input', attributes));
  }
  const choice = element('select', { name });
  if (!required) choice.append(element('option', { value: '' }, ''));
  for (const value of choices) choice.append(element('option', { value }, value));
  // A first attempt should send nothing.
  if (name === 'dry_run') choice.value = 'true';
  return element('label', {}, label, choice);
}

async function send(
  form: HTMLFormElement,
  call: CallDescription,
  output: HTMLElement,
): Promise<void> {
  const values = new FormData(form);
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === 'string' ? value : '';
  };
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(text(name)),
  );
  const query = new URLSearchParams();
  for (const { name, in: place } of call.parameters) {
    if (place === 'query' && text(name) !== '') query.set(name, text(name));
  }
  output.replaceChildren('Sending …');
  try {
    const started = performance.now();
    const response = await fetch(query.size === 0 ? path : `${path}?${query}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${await currentToken()}`,
        ...(call.actsForApplication && { 'switchboard-application': text('application') }),
        ...(call.method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: text('body') }),
    });
    const body = pretty(await response.text());
    const took = Math.round(performance.now() - started);
    output.replaceChildren(
      element('p', {}, element('strong', {}, String(response.status)), ` in ${took} ms`),
      ...(body === '' ? [] : [element('pre', { tabindex: '0' }, element('code', {}, body))]),
    );
  } catch {
    output.replaceChildren(
      'Request failed. Check that the service is running and you are signed in.',
    );
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
