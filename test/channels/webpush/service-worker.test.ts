import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { runInNewContext } from 'node:vm';

const GUIDE = new URL('../../../docs/channels/setup/webpush.md', import.meta.url);

interface Shown {
  title: string;
  options: { data: { url?: string } } & Record<string, unknown>;
}

/** The service worker of the setup guide, in a browser that records what it does. */
function startWorker() {
  const [, code] = /```js part=service-worker\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  assert.ok(code);
  const listeners = new Map<string, (event: object) => void>();
  const shown: Shown[] = [];
  const opened: string[] = [];
  const self = {
    addEventListener: (name: string, listener: (event: object) => void) =>
      void listeners.set(name, listener),
    registration: {
      showNotification: (title: string, options: Shown['options']) =>
        void shown.push({ title, options }),
    },
    clients: { openWindow: (url: string) => void opened.push(url) },
  };
  runInNewContext(code, { self });
  const waitUntil = () => {};
  return {
    opened,
    push(notification: object): Shown | undefined {
      const data = { json: (): unknown => structuredClone(notification) };
      listeners.get('push')?.({ data, waitUntil });
      return shown.at(-1);
    },
    click(notification: Shown | undefined, action = '') {
      const close = () => {};
      listeners.get('notificationclick')?.({
        notification: { close, data: notification?.options.data },
        action,
        waitUntil,
      });
    },
  };
}

it('the service worker of the guide shows every field of a notification', () => {
  const fields = { body: 'Text', image: 'https://i/', icon: 'https://c/', tag: 'a', silent: true };
  const { title, options } = startWorker().push({ title: 'Title', ...fields }) ?? {};
  assert.equal(title, 'Title');
  assert.partialDeepStrictEqual({ ...options }, fields);
});

it('the service worker of the guide opens the pressed button, the URL, or the first button', () => {
  const worker = startWorker();
  const actions = ['https://one/', 'https://two/'].map((action) => ({ action, title: 'Open' }));
  const withButtons = worker.push({ body: 'Text', actions });
  worker.click(withButtons, 'https://two/');
  worker.click(withButtons);
  worker.click(worker.push({ body: 'Text', url: 'https://three/', actions }));
  worker.click(worker.push({ body: 'Text' }));
  assert.deepEqual(worker.opened, ['https://two/', 'https://one/', 'https://three/']);
});
