import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page, Route } from '@playwright/test';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { watchedStep } from './hands.ts';
import {
  checkWidths,
  namesIn,
  notice,
  openSpeakersTab,
  password,
  profilesOf,
  startSpeakers,
  suggestedIn,
  uploadVisit,
  type Speakers,
} from './speakers.ts';
import type { Check, Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

/** People whose voice is known, with real voices: split, merged, moved to a group and deleted. */
export function speakerProfilesInTheBrowser(context: ScriptedContext): Suite {
  const { scripted, recordings, screenshots } = context;
  let started: Speakers | undefined;
  let boss: Speakers['boss'];
  let page: Page;
  let client: Client;
  let root: Client;
  let colleague: Client;
  let first: string;
  let third: string;
  const step = watchedStep(() => (started ? [started.boss, started.person] : []));
  const profileNamed = async (name: string) => (await profilesOf(client)).find((profile) => profile.name === name);
  const seenByColleague = async (): Promise<string[]> => (await profilesOf(colleague)).map(({ name }) => name);

  /** Anna speaks in all recordings; Ben is named in one of them. */
  const nameVoices = async ({ second }: Speakers): Promise<void> => {
    const [anna, ben] = (await client.file(first)).speakers;
    await client.send('PUT', `/api/speakers/${anna?.uuid}`, { display_name: 'Anna' });
    await client.send('PUT', `/api/speakers/${ben?.uuid}`, { display_name: 'Ben' });
    for (const file of [second, third]) {
      const [, speaker] = (await client.file(file)).speakers;
      const body = { action: 'accept', profile_uuid: (await profileNamed('Anna'))?.uuid };
      await client.send('POST', `/api/speakers/${speaker?.uuid}/verify`, body);
    }
  };

  /** Another person, in the group Factory with the first one. */
  const newColleague = async (): Promise<Client> => {
    const { instance } = await scripted.get();
    const address = `colleague-${randomUUID().slice(0, 8)}@example.com`;
    await root.send('POST', '/api/admin/users', { email: address, password, must_change_password: false });
    const other = await signIn(instance.baseUrl, address, password);
    const group = await root.send<{ uuid: string }>('POST', '/api/groups', { name: 'Factory' });
    for (const person of [client, other]) {
      const { uuid } = await person.ok<{ uuid: string }>('GET', '/api/users/me');
      await root.send('POST', `/api/groups/${group.uuid}/members`, { user_uuid: uuid });
    }
    return other;
  };
  /** The group stays. */
  const removeMembers = async (): Promise<void> => {
    const groups = await root.ok<{ uuid: string; name: string }[]>('GET', '/api/groups');
    const factory = groups.find(({ name }) => name === 'Factory');
    for (const member of [client, colleague]) {
      const { uuid } = await member.ok<{ uuid: string }>('GET', '/api/users/me');
      await root.ok('DELETE', `/api/groups/${factory?.uuid}/members/${uuid}`);
    }
    await until('no member sees a profile', async () => (await seenByColleague()).length === 0, jobLimitMs);
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and two people are named in three recordings',
      run: async () => {
        started = await startSpeakers(context);
        ({ boss, client, root, first } = started);
        page = started.person.page;
        await root.send('PUT', '/api/admin/voice-profiles', { profiles_enabled: true });
        colleague = await newColleague();
        third = await uploadVisit(client, recordings);
        await nameVoices(started);
      },
    },
    step('a wrong voice is taken out of a profile', async () => {
      await openSpeakersTab(page, /^Profiles/);
      await page.getByRole('button', { name: 'Recordings of Anna' }).click();
      await page.getByRole('button', { name: 'Speaker 2 in visit is not Anna' }).click();
      await until(
        'it has no name',
        async () => (await namesIn(client, third)).every((name) => name === null),
        jobLimitMs,
      );
    }),
    step('a profile is split and merged again, in a dialog that asks before typed text is lost', async () => {
      await openSpeakersTab(page, /^Profiles/);
      await page.getByRole('button', { name: 'Split Anna' }).click();
      await page.getByRole('checkbox').first().waitFor();
      for (const box of await page.getByRole('checkbox').all()) await box.check();
      await page.getByText('At least one voice stays in the profile.').waitFor();
      for (const box of (await page.getByRole('checkbox').all()).slice(0, -1)) await box.uncheck();
      const nameField = page.getByRole('combobox', { name: 'Name of the other person' });
      await nameField.fill('ben');
      await page.getByText('The voices are added to the existing profile Ben.').waitFor();
      await nameField.fill('Dora');
      // Closes the list of names.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keep editing' }).click();
      // While the request is in progress, Escape neither asks nor closes: the change can't be taken back.
      const released = Promise.withResolvers<void>();
      await page.route('**/api/speaker-profiles/*/split', async (route) => {
        await released.promise;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Split', exact: true }).click();
      await page.locator('button[data-loading]').waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await page.getByRole('dialog').count(), 1);
      await nameField.waitFor();
      released.resolve();
      await notice(page, '1 voice belongs to Dora now.').waitFor();
      await page.getByRole('button', { name: 'Rename or merge Dora' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Anna');
      await page.getByText('There is a profile called Anna already.').waitFor();
      await page.getByLabel('The same person as').first().click();
      await page.getByRole('option', { name: 'Anna' }).click();
      await page.getByText('This can’t be undone.').waitFor();
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.locator('[data-testid="profile"][data-name="Dora"]').waitFor({ state: 'detached' });
      await notice(page, 'Dora is part of Anna now.').waitFor();
      await page.getByRole('button', { name: 'Split Anna' }).waitFor();
    }),
    step(
      'a failure in a dialog that is higher than the window is in view',
      async () => {
        await openSpeakersTab(page, /^Profiles/);
        await page.getByRole('button', { name: 'Split Anna' }).click();
        await page.getByRole('checkbox').last().check();
        await page.getByRole('combobox', { name: 'Name of the other person' }).fill('Dora');
        await page.setViewportSize({ width: 1280, height: 320 });
        const url = '**/api/speaker-profiles/*/split';
        await page.route(url, (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }));
        await page.keyboard.press('Tab');
        await page.getByRole('button', { name: 'Split', exact: true }).click();
        const alert = page.getByRole('alert').filter({ hasText: 'The profile wasn’t split' });
        await alert.waitFor();
        const isInView = (): Promise<boolean> =>
          alert.evaluate((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return top >= 0 && bottom <= window.innerHeight;
          });
        await until('the failure is in view', isInView);
        await page.unroute(url);
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Discard' }).click();
      },
      /503/,
    ),
    step(
      'a profile that was merged elsewhere disappears when the dialog that says so is closed',
      async () => {
        for (const action of ['Recordings of', 'Rename or merge', 'Delete']) {
          const whole = await profileNamed('Anna');
          const voices = await client.ok<{ speaker_uuid: string }[]>(
            'GET',
            `/api/speaker-profiles/${whole?.uuid}/occurrences`,
          );
          const body = { name: 'Elsa', speaker_uuids: [voices.at(-1)?.speaker_uuid] };
          const elsa = await client.send<{ uuid: string }>('POST', `/api/speaker-profiles/${whole?.uuid}/split`, body);
          await openSpeakersTab(page, /^Profiles/);
          const entry = page.locator('[data-testid="profile"][data-name="Elsa"]');
          await entry.waitFor();
          const mergeFirst = async (route: Route): Promise<void> => {
            await client.ok('POST', `/api/speaker-profiles/${elsa.uuid}/merge/${whole?.uuid}`);
            await route.continue();
          };
          await page.route(new RegExp(`${elsa.uuid}(/occurrences)?$`), mergeFirst, { times: 1 });
          await page.getByRole('button', { name: `${action} Elsa` }).click();
          const dialog = page.getByRole('dialog');
          if (action === 'Rename or merge') {
            await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Elsie');
            await dialog.getByRole('button', { name: 'Save' }).click();
          }
          if (action === 'Delete') await dialog.getByRole('button', { name: 'Delete the profile' }).click();
          await dialog.getByText('There is no such speaker profile.').first().waitFor();
          assert.equal(await dialog.getByRole('button', { name: 'Try again' }).count(), 0);
          await page.keyboard.press('Escape');
          if (action === 'Rename or merge') await page.getByRole('button', { name: 'Discard' }).click();
          await entry.waitFor({ state: 'detached' });
        }
      },
      /404/,
    ),
    step('a profile moves to a group by keys, with a sentence that says who will see it, and back', async () => {
      await openSpeakersTab(page, /^Profiles/);
      const anna = page.locator('[data-testid="profile"][data-name="Anna"]');
      await page.getByRole('button', { name: 'Move Anna to a group' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('All members of Factory will see this profile').waitFor();
      await page.getByRole('button', { name: 'Move to the group' }).focus();
      await page.keyboard.press('Enter');
      await anna.getByText('Group Factory').waitFor();
      assert.deepEqual(await seenByColleague(), ['Anna']);
      await page.getByRole('button', { name: 'Move Anna out of its group' }).click();
      await page.getByText('Only you will see this profile. Other members of Factory').waitFor();
      await page.getByRole('button', { name: 'Move to your profiles' }).click();
      await anna.getByTestId('profile-group').waitFor({ state: 'detached' });
      assert.deepEqual(await seenByColleague(), []);
    }),
    step('a voice without a name gets a profile of a group', async () => {
      await openSpeakersTab(page, /^Unnamed/);
      const voice = page.getByTestId('cluster').filter({ hasText: 'visit' }).filter({ hasText: 'Speaker 2' });
      const name = voice.getByRole('combobox', { name: /^Name of the voice in/ });
      await name.fill('anna');
      await voice.getByText(/added to the existing profile Anna\./).waitFor();
      await name.fill('Clara');
      await voice.getByLabel(/^Who sees the profile/).selectOption({ label: 'Group Factory' });
      await voice.getByText('All members of Factory will see this profile').waitFor();
      await voice.getByRole('button', { name: /^Name (this|all)/ }).click();
      await until('the colleague sees it', async () => (await seenByColleague()).includes('Clara'));
      await notice(page, 'named Clara.').waitFor();
    }),
    step('the pages have no accessibility violations and fit into 360 pixels', async () => {
      const open = async (): Promise<void> => {
        await openSpeakersTab(page, /^Profiles/);
        await page.getByTestId('profile-group').first().waitFor();
      };
      await checkWidths(page, { name: 'speakers-profiles', screenshots, open });
      const openMove = async (): Promise<void> => {
        await open();
        await page.getByRole('button', { name: 'Move Anna to a group' }).click();
        await page.getByTestId('audience').waitFor();
      };
      await checkWidths(page, { name: 'speakers-move', screenshots, open: openMove });
    }),
    step('a deleted profile is not recognised again, and its name stays in the transcript', async () => {
      await until(
        'Ben is suggested',
        async () => (await suggestedIn(client, third)).includes('SPEAKER_01 Ben'),
        jobLimitMs,
      );
      await openSpeakersTab(page, /^Profiles/);
      await page.getByRole('button', { name: 'Delete Ben' }).click();
      await page.getByRole('button', { name: 'Delete the profile' }).click();
      await page.locator('[data-testid="profile"][data-name="Ben"]').waitFor({ state: 'detached' });
      await until(
        'no voice is suggested as Ben',
        async () => (await suggestedIn(client, third)).length === 0,
        jobLimitMs,
      );
      assert.ok((await namesIn(client, first)).includes('Ben'));
    }),
    step('the voice of a deleted profile is recognised again when its owner allows it', async () => {
      const excluded = page.getByTestId('excluded-voices');
      const open = async (): Promise<void> => {
        await openSpeakersTab(page, /^Profiles/);
        await excluded.getByText('Ben').waitFor();
      };
      await checkWidths(page, { name: 'speakers-excluded', screenshots, open });
      await page.getByRole('button', { name: 'Allow again: the voice of Ben' }).click();
      await notice(page, 'The voice of Ben is stored and recognised again.').waitFor();
      await excluded.waitFor({ state: 'detached' });
      await page.locator('[data-testid="profile"][data-name="Ben"]').waitFor();
      await until(
        'Ben is suggested',
        async () => (await suggestedIn(client, third)).includes('SPEAKER_01 Ben'),
        jobLimitMs,
      );
    }),
    step('a profile of a group without members is shown to administrators, and deleted by them', async () => {
      await removeMembers();
      const open = async (): Promise<void> => {
        await openSpeakersTab(boss.page, /^Profiles/);
        await boss.page.getByTestId('profiles-without-members').getByText('Group Factory').waitFor();
      };
      await checkWidths(boss.page, { name: 'speakers-without-members', screenshots, open });
      await boss.page.getByRole('button', { name: 'Delete Clara' }).click();
      await boss.page.getByRole('button', { name: 'Delete the profile' }).click();
      await boss.page.getByTestId('profiles-without-members').waitFor({ state: 'detached' });
    }),
  ];

  return { name: 'Speaker profiles in Chromium', checks, close: async () => started?.browser.close() };
}
