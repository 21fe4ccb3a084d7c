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

const HOSTILE = CORPUS[1] ?? '';

describe('the team in the console', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const enter = (email: string, password: string) =>
    console.service.as(undefined).post('/1/tokens', { email, password });

  /** A team of its own, whose owner and one member can sign in with PASSWORD. */
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
    await press(visit.page, 'Sign in');
    await visit.page.waitForURL(`**${path}`);
    return visit;
  }

  it('grows by a link that is made, copied, opened once, or revoked', async () => {
    const { api, team } = console.service;
    await using visit = await console.open('/app/team', LIGHT);
    const { page } = visit;
    await page.getByText('No invitation is pending').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Invite somebody');
    await page.waitForURL('**/app/team?invite=true');
    await page.getByLabel('Email').fill('nobody');
    await press(page, 'Make the link');
    await page.getByRole('alert').filter({ hasText: 'email' }).waitFor();
    await page.getByLabel('Email').fill('grace@example.com');
    await press(page, 'Make the link');
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'I have copied it');
    await page.getByRole('row', { name: /grace@example\.com You/ }).waitFor();

    const path = link.slice(console.service.url.length);
    await using guest = await console.openAsStranger(path, DARK_PHONE);
    await guest.page.getByText('Ada invites you').waitFor();
    assert.equal(await guest.page.getByLabel('Email').inputValue(), 'grace@example.com');
    assert.deepEqual(await axeFaults(guest.page), []);
    await guest.page.getByLabel('Your name').fill(HOSTILE);
    await guest.page.getByLabel('Password').fill(PASSWORD);
    await press(guest.page, 'Join');
    await guest.page.waitForURL('**/app/**');
    await guest.page.goto(`${console.service.url}/app/team`);
    await guest.page.getByText(`${HOSTILE} (you)`).waitFor();
    assert.equal(await guest.page.getByRole('button', { name: 'Invite somebody' }).count(), 0);
    assert.deepEqual(await axeFaults(guest.page), []);
    await guest.page.goto(`${console.service.url}/sign-in`);
    await guest.page.goto(link);
    await guest.page.getByText('This link does not work any more').waitFor();

    await api.post('/1/invitations', { email: 'late@example.com' });
    await page.reload();
    await page.getByRole('row', { name: /grace@example\.com Member/ }).waitFor();
    await page
      .getByRole('row', { name: /late@example\.com/ })
      .getByRole('button')
      .click();
    await press(page, 'Revoke it');
    await page.getByText('No invitation is pending').waitFor();
    assert.deepEqual((await api.get('/1/invitations')).body.data, []);
    await page.getByLabel('Team name').fill('Analytical Engines');
    await press(page, 'Rename');
    await page.getByRole('button', { name: /Ada Analytical Engines/ }).waitFor();
    assert.equal((await api.get(`/1/teams/${team.id}`)).body.name, 'Analytical Engines');
    assertOnlyRefused(visit);
    assertOnlyRefused(guest);
  });

  it('has members who are disabled, enabled, removed, and handed the team', async () => {
    const { api, owner, member, email, team } = await makeTeam(HOSTILE);
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
    const choose = async (name: string, item: string) => {
      await press(page, `More about ${name}`);
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Leaver', 'Disable…');
    await press(page, 'Disable');
    await page.getByRole('row', { name: /Leaver.*Disabled/ }).waitFor();
    await choose('Leaver', 'Enable');
    await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' });
    await choose('Leaver', 'Remove…');
    assert.ok(await page.getByRole('button', { name: 'Remove them' }).isDisabled());
    const keys = page.getByRole('table', { name: 'Keys and tokens they made' });
    await keys.getByText(HOSTILE).waitFor();
    await page.getByLabel(/Revoke all keys and tokens/).check();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel(/to confirm$/).fill(leaver);
    await press(page, 'Remove them');
    await page.getByRole('row', { name: /Leaver/ }).waitFor({ state: 'detached' });
    assert.equal((await console.service.as(made.token).get('/1/applications/me')).status, 401);
    await choose(HOSTILE, 'Hand the team over…');
    await press(page, 'Hand it over');
    await page.getByRole('row', { name: new RegExp(`${email} Owner`) }).waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).waitFor({ state: 'detached' });
    assert.equal((await api.get(`/1/teams/${team.id}`)).body.owner_id, member.id);
    await press(page, `More about ${HOSTILE}`);
    assert.equal(await page.getByRole('menuitem').count(), 1, 'a member manages nobody');
    await page.getByRole('menuitem', { name: 'What they changed' }).click();
    await page.waitForURL(`**/app/team/audit?actor=${member.id}`);
    assertFaultless(visit);
  });

  it('has an audit log, narrowed by its address, page by page', async () => {
    const { api, owner, team } = await makeTeam('Member');
    const fields = { team_id: team.id, owner_id: owner.id, state: 'enable' };
    const { body: application } = await api.post('/1/applications', { ...fields, name: HOSTILE });
    for (let i = 0; i < 55; i++) {
      await api.put(`/1/applications/${application.id}`, { name: `renamed-${i}` });
    }
    await using visit = await openAs(owner.email, '/app/team/audit', DARK_PHONE);
    const { page } = visit;
    const rows = page.getByRole('list', { name: 'Changes' }).locator('> li');
    await rows.filter({ hasText: 'Ada signed in' }).waitFor();
    assert.equal(await rows.count(), 50);
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Show more');
    await rows.filter({ hasText: `Ada created the application ${HOSTILE}` }).waitFor();
    await press(page, 'What');
    await page.getByRole('menuitemcheckbox', { name: 'Users' }).click();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/audit?action=user');
    await rows.filter({ hasText: 'Ada added Member' }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.goto(`${console.service.url}/app/team/audit?action=message&since=1h`);
    await page.getByText('Nothing fits these filters').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Clear all filters');
    await page.waitForURL('**/app/team/audit');
    await rows.first().waitFor();
    assertFaultless(visit);
  });

  it('lets everyone change their own account, and sign out everywhere', async () => {
    const { member, email } = await makeTeam('Grace');
    await using visit = await openAs(email, '/app/team', LIGHT);
    const { page } = visit;
    await page.getByRole('button', { name: /^Grace/ }).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'About you' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByLabel('Email').fill(`new-${email}`);
    await press(page, 'Save');
    await page.getByRole('button', { name: HOSTILE }).waitFor();
    assert.equal((await console.service.store.users.get(member.id))?.email, `new-${email}`);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('short');
    await press(page, 'Change password');
    await page.getByRole('alert').filter({ hasText: '8' }).waitFor();
    assert.equal((await enter(`new-${email}`, PASSWORD)).status, 201);
    const next = 'another long example password';
    await page.getByLabel('Current password').fill('a wrong password');
    await page.getByLabel('New password').fill(next);
    await press(page, 'Change password');
    await page.getByRole('alert').filter({ hasText: 'current password' }).waitFor();
    assert.equal((await enter(`new-${email}`, PASSWORD)).status, 201);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel(/Also revoke my own API keys/).check();
    assert.deepEqual(await axeFaults(page), []);
    await press(page, 'Change password');
    await page.getByText('Password changed.').waitFor();
    assert.equal((await enter(`new-${email}`, PASSWORD)).status, 401);
    const { body: other } = await enter(`new-${email}`, next);
    await page.reload();
    await press(page, 'Sign out everywhere…');
    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal((await console.service.as(other.token).get('/1/users/me')).status, 401);
    assertOnlyRefused(visit);
  });
});

/** Nothing went wrong but what was refused on purpose, of which the browser tells. */
function assertOnlyRefused({ faults }: WatchedPage): void {
  assert.deepEqual(
    faults.filter((fault) => !/status of (404|422) /.test(fault)),
    [],
  );
}
