import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { BrowserContextOptions, Page } from 'playwright-core';

import { hashPassword } from '../../src/lib/crypto/password.ts';
import { CORPUS } from '../support/corpus.ts';
import { CHROMIUM, type WatchedPage, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  PASSWORD,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { until } from '../support/until.ts';

const HOSTILE = CORPUS[1] ?? '';

describe('console: team', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  const press = (page: Page, testId: string) => page.getByTestId(testId).click();
  const enter = (email: string, password: string) =>
    console.service.as(undefined).post('/1/tokens', { email, password });

  /** A separate team whose owner and one member can sign in with PASSWORD. */
  async function makeTeam(name: string) {
    const { team, owner, api } = await console.service.otherTeam();
    const password = await hashPassword(PASSWORD);
    await console.service.store.users.update(owner.id, { name: 'Ada', password });
    const email = `member-${team.id}@example.com`;
    const fields = { email, name, state: 'enable', password: PASSWORD };
    const { body: member } = await api.post('/1/users', fields);
    return { team, owner, api, member, email };
  }

  async function openAs(
    email: string,
    path: string,
    options: BrowserContextOptions,
  ): Promise<WatchedPage> {
    const visit = await console.openAsStranger(`/sign-in?next=${path}`, options);
    await visit.page.getByLabel('Email').fill(email);
    await visit.page.getByLabel('Password').fill(PASSWORD);
    await press(visit.page, 'sign-in');
    await visit.page.waitForURL(`**${path}`);
    return visit;
  }

  it('an invitation link is created, used once, and revoked', async () => {
    const { api, team } = console.service;
    await using visit = await console.open('/app/team', LIGHT);
    const { page } = visit;
    await page.getByTestId('no-invitations').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'invite');
    await page.waitForURL('**/app/team?invite=true');
    await page.getByLabel('Email').fill('nobody');
    await press(page, 'submit');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Email').fill('grace@example.com');
    await press(page, 'submit');
    const link = await page.getByTestId('link').inputValue();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'done');
    await page.getByRole('row', { name: 'grace@example.com' }).waitFor();

    const path = link.slice(console.service.url.length);
    await using guest = await console.openAsStranger(path, DARK_PHONE);
    await guest.page.getByTestId('join-form').waitFor();
    assert.equal(await guest.page.getByLabel('Email').inputValue(), 'grace@example.com');
    assert.deepEqual(await axeFaults(guest.page), []);
    await guest.page.getByLabel('Your name').fill(HOSTILE);
    await guest.page.getByLabel('Password').fill(PASSWORD);
    await press(guest.page, 'join');
    await guest.page.waitForURL('**/app/**');
    await guest.page.goto(`${console.service.url}/app/team`);
    await guest.page.getByRole('row').getByText(HOSTILE).waitFor();
    assert.equal(await guest.page.getByTestId('invite').count(), 0);
    assert.deepEqual(await axeFaults(guest.page), []);
    await guest.page.goto(`${console.service.url}/sign-in`);
    await guest.page.goto(link);
    await guest.page.getByTestId('link-invalid').waitFor();

    await api.post('/1/invitations', { email: 'late@example.com' });
    await page.reload();
    await page.locator('[data-role="member"]').getByText('grace@example.com').waitFor();
    await page
      .getByRole('row', { name: /late@example\.com/ })
      .getByTestId('revoke')
      .click();
    await press(page, 'confirm');
    await page.getByTestId('no-invitations').waitFor();
    assert.deepEqual((await api.get('/1/invitations')).body.data, []);
    await page.getByLabel('Team name').fill('Analytical Engines');
    await press(page, 'rename');
    await page.getByRole('button', { name: /Ada Analytical Engines/ }).waitFor();
    assert.equal((await api.get(`/1/teams/${team.id}`)).body.name, 'Analytical Engines');
    assertOnlyRefused(visit);
    assertOnlyRefused(guest);
  });

  it('members are disabled, enabled and removed, and ownership is transferred', async () => {
    const { api, owner, member, team } = await makeTeam(HOSTILE);
    const leaver = `leaver-${team.id}@example.com`;
    const { body: leaving } = await api.post('/1/users', {
      email: leaver,
      name: 'Leaver',
      state: 'enable',
    });
    const fields = { team_id: team.id, owner_id: owner.id, state: 'enable' };
    const { body: application } = await api.post('/1/applications', fields);
    const user = await console.service.store.users.get(leaving.id);
    assert.ok(user);
    const theirs = console.service.as(await console.service.userToken(user));
    const { body: made } = await theirs.post(`/1/applications/${application.id}/tokens`, {
      label: HOSTILE,
    });
    await using visit = await openAs(owner.email, '/app/team', LIGHT);
    const { page } = visit;
    const row = (id: number, having = '') => page.locator(`[data-testid="member-${id}"]${having}`);
    const choose = async (id: number, item: string) => {
      await row(id).getByTestId('member-menu').click();
      await press(page, item);
    };
    await choose(leaving.id, 'disable');
    await press(page, 'confirm');
    await row(leaving.id, '[data-state="disable"]').waitFor();
    await choose(leaving.id, 'enable');
    await row(leaving.id, '[data-state="enable"]').waitFor();
    await choose(leaving.id, 'remove');
    assert.ok(await page.getByTestId('confirm').isDisabled());
    await page.getByTestId('made-keys').getByText(HOSTILE).waitFor();
    await page.getByTestId('revoke-keys').check();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('confirm-text').fill(leaver);
    await press(page, 'confirm');
    await row(leaving.id).waitFor({ state: 'detached' });
    assert.equal((await console.service.as(made.token).get('/1/applications/me')).status, 401);
    await row(member.id).getByText(HOSTILE).waitFor();
    await choose(member.id, 'transfer');
    await press(page, 'confirm');
    await row(member.id, '[data-role="owner"]').waitFor();
    await page.getByTestId('invite').waitFor({ state: 'detached' });
    assert.equal((await api.get(`/1/teams/${team.id}`)).body.owner_id, member.id);
    await row(member.id).getByTestId('member-menu').click();
    assert.equal(
      await page.getByRole('menuitem').count(),
      1,
      'members cannot manage other members',
    );
    await press(page, 'audit');
    await page.waitForURL(`**/app/team/audit?actor=${member.id}`);
    assertFaultless(visit);
  });

  it('the audit log is paged, and filtered by its URL', async () => {
    const { api, owner, team } = await makeTeam('Member');
    const fields = { team_id: team.id, owner_id: owner.id, state: 'enable' };
    const { body: application } = await api.post('/1/applications', { ...fields, name: HOSTILE });
    for (let i = 0; i < 55; i++) {
      await api.put(`/1/applications/${application.id}`, { name: `renamed-${i}` });
    }
    await using visit = await openAs(owner.email, '/app/team/audit', DARK_PHONE);
    const { page } = visit;
    const rows = page.getByTestId('audit-entries').locator('> li');
    const entry = (action: string) => page.locator(`[data-action="${action}"]`);
    await entry('session.started').filter({ hasText: 'Ada' }).waitFor();
    assert.equal(await rows.count(), 50);
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'more');
    await entry('application.created').filter({ hasText: HOSTILE }).waitFor();
    await press(page, 'filter-action');
    await page.getByRole('menuitemcheckbox', { name: 'Users' }).click();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/audit?action=user');
    await entry('user.created').filter({ hasText: 'Member' }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.goto(`${console.service.url}/app/team/audit?action=message&since=1h`);
    await page.getByTestId('no-match').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'clear-all');
    await page.waitForURL('**/app/team/audit');
    await rows.first().waitFor();
    assertFaultless(visit);
  });

  it('a member changes their account and password, and signs out everywhere', async () => {
    const { member, email } = await makeTeam('Grace');
    await using visit = await openAs(email, '/app/team', LIGHT);
    const { page } = visit;
    await page.getByRole('button', { name: /^Grace/ }).click();
    await press(page, 'account');
    await page.getByTestId('change-password').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByLabel('Email').fill(`new-${email}`);
    await press(page, 'save');
    await page.getByRole('button', { name: HOSTILE }).waitFor();
    assert.equal((await console.service.store.users.get(member.id))?.email, `new-${email}`);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('short');
    await press(page, 'change-password');
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('New password').getAttribute('aria-invalid'), 'true');
    assert.equal((await enter(`new-${email}`, PASSWORD)).status, 201);
    const next = 'another long example password';
    await page.getByLabel('Current password').fill('a wrong password');
    await page.getByLabel('New password').fill(next);
    await press(page, 'change-password');
    await page.locator('[autocomplete="current-password"][aria-invalid="true"]').waitFor();
    assert.equal((await enter(`new-${email}`, PASSWORD)).status, 201);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByTestId('revoke-keys').check();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'change-password');
    await until('the form is cleared', async () => {
      return (await page.getByLabel('New password').inputValue()) === '';
    });
    assert.equal((await enter(`new-${email}`, PASSWORD)).status, 401);
    const { body: other } = await enter(`new-${email}`, next);
    await page.reload();
    await press(page, 'end-sessions');
    await press(page, 'confirm');
    await page.getByTestId('sign-in').waitFor();
    assert.equal((await console.service.as(other.token).get('/1/users/me')).status, 401);
    assertOnlyRefused(visit);
  });
});

/** The browser reported no errors except the refusals that the test causes. */
function assertOnlyRefused({ faults }: WatchedPage): void {
  assert.deepEqual(
    faults.filter((fault) => !/status of (404|422) /.test(fault)),
    [],
  );
}
