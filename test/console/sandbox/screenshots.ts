import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';

import { MAIN } from '../../support/programs/command.ts';
import { type TestConsole, openConsole } from '../../support/programs/console.ts';
import { ROOT } from '../../support/sources.ts';
import { until } from '../../support/until.ts';

/*
 * Takes the pictures of the README with the data of `switchboard demo`, in light and dark colors:
 *
 *     node test/console/sandbox/screenshots.ts
 */

const FOLDER = join(ROOT, 'docs', 'images');
const SCALE = 1.5;
const QUALITY = 0.82;
const LOG = { width: 1240, height: 1000 };
/** Corners of the phone and of the log. */
const CORNERS = [24, 10];
const TIMELINE = { width: 1280, height: 760 };
const HIGHEST = 760;

interface Shown {
  application: number;
  integration: number;
  message: number;
}

/** Fills the team, and finds a conversation and a message that was read. */
async function fill({ service }: TestConsole): Promise<Shown> {
  const { api, url } = service;
  const { stderr } = await promisify(execFile)(process.execPath, [MAIN, 'demo'], {
    env: { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: api.token ?? '' },
  });
  process.stderr.write(stderr);
  const { body: applications } = await api.get('/1/applications');
  const shop = applications.data.find(({ name }: { name: string }) => name === 'Demo shop');
  const headers = { 'switchboard-application': String(shop.id) };
  const get = async (path: string) => (await api.get(path, { headers })).body.data;
  const integrations = await get(`/1/applications/${shop.id}/integrations`);
  const phone = integrations.find(({ name }: { name: string }) => name === 'whatsapp');
  assert.ok(phone);
  const message = await until('a message is read', async () => {
    const [found] = await get(`/1/messages?integration_id=${phone.id}&state=read&limit=1`);
    return found?.id;
  });
  await until('the usual messages are sent', async () => {
    const waiting = await get(`/1/messages?integration_id=${phone.id}&state=queued,sending`);
    return waiting.length === 0;
  });
  return { application: shop.id, integration: phone.id, message };
}

/** Part of a page as a data URL, once it has loaded. */
async function shoot(page: Page, address: string, within: string): Promise<string> {
  await page.goto(address);
  await page.locator('h1').waitFor();
  await until('it has loaded', () =>
    page.evaluate<boolean>(`document.querySelector('.animate-shimmer') === null`),
  );
  await page.locator(`${within} :is(li, td)`).first().waitFor();
  const target = page.locator(within);
  const box = await target.boundingBox();
  assert.ok(box);
  const png = await page.screenshot({
    animations: 'disabled',
    clip: { ...box, height: Math.min(box.height, HIGHEST) },
  });
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** Draws pictures beside each other, as WebP. */
async function drawn(page: Page, pictures: readonly string[], background: string): Promise<Buffer> {
  const data = await page.evaluate<string>(`(async () => {
    const images = await Promise.all(${JSON.stringify(pictures)}.map(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return image;
    }));
    const gap = images.length > 1 ? 36 : 0;
    const width = images.reduce((sum, { width }) => sum + width, gap * (images.length + 1));
    const height = Math.max(...images.map(({ height }) => height)) + 2 * gap;
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d');
    context.fillStyle = ${JSON.stringify(background)};
    context.fillRect(0, 0, width, height);
    let left = gap;
    for (const [i, image] of images.entries()) {
      const top = (height - image.height) / 2;
      const radius = images.length > 1 ? ${JSON.stringify(CORNERS)}[i] * ${SCALE} : 0;
      context.save();
      context.beginPath();
      context.roundRect(left, top, image.width, image.height, radius);
      context.clip();
      context.drawImage(image, left, top);
      context.restore();
      left += image.width + gap;
    }
    return canvas.toDataURL('image/webp', ${QUALITY});
  })()`);
  return Buffer.from(data.slice(data.indexOf(',') + 1), 'base64');
}

await using shown = await openConsole();
const { application, integration, message } = await fill(shown);
const base = `${shown.service.url}/app/applications/${application}`;
mkdirSync(FOLDER, { recursive: true });
for (const colorScheme of ['light', 'dark'] as const) {
  const options = { colorScheme, deviceScaleFactor: SCALE, reducedMotion: 'reduce' } as const;
  await using visit = await shown.open('/app/account', { ...options, viewport: LOG });
  const { page } = visit;
  const log = await shoot(page, `${base}/messages`, 'main');
  const phone = await shoot(
    page,
    `${base}/integrations/${integration}/phone`,
    '[data-testid=phone]',
  );
  await page.setViewportSize(TIMELINE);
  const timeline = await shoot(page, `${base}/messages/${message}`, 'body');
  // A page without a policy against data URLs draws them.
  await page.goto('about:blank');
  const background = colorScheme === 'light' ? '#e7e9f0' : '#05060a';
  const save = async (name: string, pictures: readonly string[]) => {
    const file = join(FOLDER, `${name}-${colorScheme}.webp`);
    writeFileSync(file, await drawn(page, pictures, background));
  };
  await save('phone', [phone, log]);
  await save('timeline', [timeline]);
}
