import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { record, type Utterance } from '@overtone/testkit/recordings';
import type { Browser, Page, Route } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import type { Check, Suite } from './suite.ts';
import { until } from './until.ts';

const password = 'Spoken-Horse-9-Battery';
/** The woman of the other recordings is the second who speaks. */
const visit: readonly Utterance[] = [
  { voice: 'rms', text: 'The visitors arrive at nine, and they want to see the whole factory.' },
  { voice: 'slt', text: 'Then I will wait for them at the gate with the keys and the helmets.' },
  { voice: 'rms', text: 'Please show them the new machine before we have lunch together.' },
  { voice: 'slt', text: 'I do not know how the new machine works, so I need your help.' },
];

type Suggested = { voice: { file_uuid: string; label: string }; profile: { name: string } };

/** Speaker profiles with real voices: from the switch that allows them to the deletion of all of them. */
export function speakersInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let person: Hands;
  let page: Page;
  let client: Client;
  let colleague: Client;
  let first: string;
  let second: string;
  let third: string;
  const email = `voices-${randomUUID().slice(0, 8)}@example.com`;
  const step = watchedStep(() => [boss, person].filter((hands) => hands !== undefined));
  const entries = () => page.getByTestId('suggested-voice');
  const openTab = async (name: RegExp): Promise<void> => {
    await page.goto('/speakers');
    await page.getByRole('tab', { name }).click();
  };
  const openMove = async (): Promise<void> => {
    await openTab(/^Profiles/);
    await page.getByRole('button', { name: 'Move Anna to a group' }).click();
  };
  const suggestions = async () =>
    (await client.ok<{ suggestions: Suggested[] }>('GET', '/api/speaker-suggestions')).suggestions;
  const suggestedIn = async (file: string): Promise<string[]> =>
    (await suggestions())
      .filter(({ voice }) => voice.file_uuid === file)
      .map(({ voice, profile }) => `${voice.label} ${profile.name}`)
      .toSorted();
  const namesIn = async (file: string): Promise<(string | null)[]> =>
    (await client.file(file)).speakers.map(({ display_name: name }) => name);
  /** What is shown is accessible and fits into windows of all widths. */
  const checkWidths = async (name: string): Promise<void> => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await barriers(page, schemesAt(width)), [], `${name} has accessibility violations (${width})`);
      await until(`${name} fits into ${width} pixels`, () => fitsWidth(page));
      await page.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const notice = (text: string) => page.getByRole('alert').filter({ hasText: text });
  const titleOf = async (file: string): Promise<string> => (await client.file(file)).title;
  const nameSpeaker = async (label: string, name: string): Promise<void> => {
    await page.getByRole('button', { name: `Rename ${label}`, exact: true }).click();
    await page.getByLabel(`Name of ${label}`, { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.locator(`[data-testid="speaker"][data-name="${name}"]`).waitFor();
  };

  /** Another person, in the group Factory with the first one. */
  const newColleague = async (root: Client): Promise<Client> => {
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
    const { instance } = await scripted.get();
    const root = await signIn(instance.baseUrl, admin.email, admin.password);
    const groups = await root.ok<{ uuid: string; name: string }[]>('GET', '/api/groups');
    const factory = groups.find(({ name }) => name === 'Factory');
    for (const member of [client, colleague]) {
      const { uuid } = await member.ok<{ uuid: string }>('GET', '/api/users/me');
      await root.ok('DELETE', `/api/groups/${factory?.uuid}/members/${uuid}`);
    }
    await until('no member sees a profile', async () => (await seenByColleague()).length === 0);
  };
  const seenByColleague = async (): Promise<string[]> =>
    (await colleague.ok<{ profiles: { name: string }[] }>('GET', '/api/speaker-profiles')).profiles.map(
      (profile) => profile.name,
    );

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and two recordings have two speakers each',
      run: async () => {
        const { instance } = await scripted.get();
        const root = await signIn(instance.baseUrl, admin.email, admin.password);
        await root.send('POST', '/api/admin/users', { email, password, must_change_password: false });
        client = await signIn(instance.baseUrl, email, password);
        colleague = await newColleague(root);
        const upload = async (path: string, number: number) =>
          uploadWithRetry(client, await createCopy(path, recordings.folder, number));
        first = await upload(recordings.meeting.path, 14_001);
        second = await upload(recordings.cooking.path, 14_002);
        for (const file of [first, second]) assert.equal((await client.completed(file)).speakers.length, 2);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        person = await openHands(browser, instance.baseUrl, screenshots);
        page = person.page;
        await boss.signIn(admin.email, admin.password, 'Library');
        await person.signIn(email, password, 'Library');
      },
    },
    step('no voice is stored before a super administrator allows it', async () => {
      await page.goto('/speakers');
      await page.getByText('Voices are not stored on this instance.').waitFor();
      await boss.page.goto('/admin/voices');
      await boss.page.getByTestId('stored-voices').waitFor({ state: 'detached' });
      await boss.page.getByRole('switch', { name: 'Store voices and recognise them again' }).click();
      await saveForm(boss.page);
      await boss.page.getByTestId('stored-voices').waitFor();
      const confidence = boss.page.getByRole('textbox', { name: 'Suggest from a confidence of' });
      await confidence.fill('');
      await confidence.pressSequentially('0,8');
      assert.equal(await confidence.inputValue(), '0.8');
      await boss.page.getByRole('button', { name: 'Discard changes' }).click();
      await boss.page.getByRole('link', { name: 'Versions of the speaker index' }).click();
      await boss.page.getByRole('heading', { name: 'Speaker index' }).waitFor();
    }),
    step(
      'voices without a name are grouped over the recordings, with samples of which one plays at a time',
      async () => {
        await openTab(/^Unnamed/);
        const shared = page.getByTestId('cluster').filter({ hasText: 'This voice speaks in 2 recordings' });
        await until('two voices are known', async () => (await shared.count()) === 2);
        const stop = page.getByRole('button', { name: /^Stop the sample/ });
        await page.getByTestId('sample').nth(0).click();
        await stop.waitFor();
        await page.getByTestId('sample').nth(1).click();
        const other = page.getByTestId('sample').nth(1);
        await until('the second plays', async () => (await other.getAttribute('aria-label'))?.startsWith('Stop'));
        assert.equal(await stop.count(), 1);
      },
    ),
    step('a typed name stays with the voices that are left when one is said to be another person', async () => {
      for (const index of [0, 1]) {
        let separated = '';
        // The answers are changed, not the voices, which the next steps need as they are.
        await page.route('**/api/speaker-clusters', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { clusters: { voices: { speaker_uuid: string }[] }[] };
          const clusters = body.clusters.flatMap(({ voices }) => [
            { voices: voices.filter((voice) => voice.speaker_uuid === separated), kept_apart: [] },
            { voices: voices.filter((voice) => voice.speaker_uuid !== separated), kept_apart: [] },
          ]);
          await route.fulfill({
            response,
            json: { ...body, clusters: clusters.filter(({ voices }) => voices.length > 0) },
          });
        });
        await page.route('**/api/speaker-clusters/separate', async (route) => {
          separated = (route.request().postDataJSON() as { speaker_uuid: string }).speaker_uuid;
          await route.fulfill({ status: 204 });
        });
        await openTab(/^Unnamed/);
        const shown = page.getByTestId('cluster');
        await until('two voices are known', async () => (await shown.count()) === 2);
        const voices = shown.first().getByRole('listitem');
        const stays =
          (await voices
            .nth(1 - index)
            .getByRole('link')
            .textContent()) ?? '';
        await shown
          .first()
          .getByRole('combobox', { name: /^Name of the voice/ })
          .fill('Typed');
        await voices
          .nth(index)
          .getByRole('button', { name: /^Not the same person/ })
          .click();
        await until('one is separated', async () => (await shown.count()) === 3);
        const names = async (): Promise<string[]> =>
          Promise.all(
            (await shown.getByRole('combobox', { name: /^Name of the voice/ }).all()).map((box) => box.inputValue()),
          );
        assert.deepEqual(await names(), ['', 'Typed', '']);
        assert.equal(await shown.nth(1).getByRole('link').textContent(), stays);
        // Leaves without a question, and with the answers of the server.
        await shown
          .nth(1)
          .getByRole('combobox', { name: /^Name of the voice/ })
          .fill('');
        await page.unrouteAll({ behavior: 'wait' });
      }
    }),
    step(
      'voices that were said to be different people by mistake are one person again, also later',
      async () => {
        await openTab(/^Unnamed/);
        const shown = page.getByTestId('cluster');
        const separateFirst = async (): Promise<void> => {
          await until('two groups', async () => (await shown.count()) === 2);
          await page
            .getByRole('button', { name: /^Not the same person/ })
            .first()
            .click();
          await until('one is separated', async () => (await shown.count()) === 3);
        };
        await separateFirst();
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await page.getByText('Undone.').waitFor();
        await separateFirst();
        await page.reload();
        await page.getByRole('tab', { name: /^Unnamed/ }).click();
        await until('both sides say it', async () => (await page.getByTestId('kept-apart').count()) === 2);
        await checkWidths('speakers-kept-apart');
        await page
          .getByRole('button', { name: /^Can be the same person/ })
          .first()
          .click();
        await until('two groups again', async () => (await shown.count()) === 2);
        assert.equal(await page.getByTestId('kept-apart').count(), 0);
        await separateFirst();
        const url = '**/api/speaker-clusters/separate/undo';
        const undoFirst = async (route: Route): Promise<void> => {
          await client.send('POST', '/api/speaker-clusters/separate/undo', route.request().postDataJSON());
          await route.continue();
        };
        await page.route(url, undoFirst, { times: 1 });
        await page
          .getByRole('button', { name: /^Can be the same person/ })
          .first()
          .click();
        await notice('The voices were not kept apart any more.').waitFor();
        await until('two groups again', async () => (await shown.count()) === 2);
      },
      /409/,
    ),
    step('the tab stays after a reload and on the way back from a recording', async () => {
      await openTab(/^Unnamed/);
      const selected = page.getByRole('tab', { name: /^Unnamed/, selected: true });
      await selected.waitFor();
      await page.getByRole('tab', { name: /^Profiles/ }).click();
      await page.reload();
      await page.getByRole('tab', { name: /^Profiles/, selected: true }).waitFor();
      await page.getByRole('tab', { name: /^Unnamed/ }).click();
      await page.getByTestId('cluster').first().getByRole('link').first().click();
      await page.getByTestId('speaker').first().waitFor();
      await page.goBack();
      await selected.waitFor();
    }),
    step('a named voice is suggested in the other recording, and is never applied unasked', async () => {
      await page.goto(`/files/${first}`);
      await nameSpeaker('Speaker 1', 'Anna');
      await nameSpeaker('Speaker 2', 'Ben');
      await until('both are suggested', async () => (await suggestedIn(second)).length === 2);
      assert.deepEqual(await suggestedIn(second), ['SPEAKER_01 Ben', 'SPEAKER_02 Anna']);
      assert.deepEqual(await namesIn(second), [null, null]);
      await page.goto(`/files/${second}`);
      await page.getByTestId('voice-suggestions').getByText('Speaker 2 is probably Anna').waitFor();
    }),
    step('a rejection is undone from its notice, or later in the profile', async () => {
      await page.goto(`/files/${second}`);
      const anna = page.getByTestId('voice-suggestions').getByText('Speaker 2 is probably Anna');
      const reject = page.getByRole('button', { name: 'Reject: Speaker 2 is not Anna' });
      await reject.click();
      await anna.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await anna.waitFor();
      await reject.click();
      await anna.waitFor({ state: 'detached' });
      await openTab(/^Profiles/);
      await page.getByRole('button', { name: 'Recordings of Anna' }).click();
      const rejected = page.getByTestId('rejected-voices');
      await rejected.waitFor();
      await checkWidths('speakers-rejected');
      await rejected.getByRole('button', { name: /^It is Anna: Speaker 2 in / }).click();
      await rejected.waitFor({ state: 'detached' });
      await until('it is named', async () => (await namesIn(second)).includes('Anna'));
      await page
        .getByTestId('profile-voices')
        .getByRole('listitem')
        .filter({ hasText: await titleOf(second) })
        .getByRole('button')
        .last()
        .click();
      await rejected.waitFor();
      await notice(`Speaker 2 in ${await titleOf(second)} is not Anna. The name leaves the transcript.`)
        .getByRole('button', { name: 'Undo', exact: true })
        .click();
      await until('it is named again', async () => (await namesIn(second)).includes('Anna'));
      // The next steps need an open suggestion.
      const [, speaker] = (await client.file(second)).speakers;
      const decide = async (action: string): Promise<void> => {
        const { profiles } = await client.ok<{ profiles: { uuid: string; name: string }[] }>(
          'GET',
          '/api/speaker-profiles',
        );
        const profile = profiles.find(({ name }) => name === 'Anna');
        await client.send('POST', `/api/speakers/${speaker?.uuid}/verify`, { action, profile_uuid: profile?.uuid });
      };
      await decide('reject');
      await decide('undo_reject');
      await until('both are suggested', async () => (await suggestedIn(second)).length === 2);
    }),
    step('two quick clicks decide about one voice, and an accepted voice is taken back from its notice', async () => {
      await openTab(/^Suggestions/);
      await until('two suggestions', async () => (await entries().count()) === 2);
      const box = await entries()
        .first()
        .getByRole('button', { name: /^Accept/ })
        .boundingBox();
      assert.ok(box);
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.click(x, y);
      await until('one is left', async () => (await entries().count()) === 1);
      await page.mouse.click(x, y);
      const named = notice(`in ${await titleOf(second)} is named`);
      await named.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('Undone.').waitFor();
      await until('both are suggested', async () => (await suggestedIn(second)).length === 2);
      assert.deepEqual(await namesIn(second), [null, null]);
    }),
    step(
      'the list of suggestions is operated by keys: move, reject, accept, and the next entry has the focus',
      async () => {
        await openTab(/^Suggestions/);
        await until('two suggestions', async () => (await entries().count()) === 2);
        await entries().first().focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowUp');
        const text = (await entries().first().textContent()) ?? '';
        await page.keyboard.down('r');
        await until(
          'one is left with the focus',
          async () => (await page.locator('li:focus').count()) === 1 && (await entries().count()) === 1,
        );
        // A key that is still down repeats.
        await page.keyboard.down('r');
        await page.keyboard.up('r');
        await page.keyboard.press('a');
        await page.getByText('No suggestions.').waitFor();
        const accepted = text.startsWith('Anna') ? 'Ben' : 'Anna';
        assert.deepEqual(new Set(await namesIn(second)), new Set([accepted, null]));
      },
    ),
    step('the next recording gets suggestions, and a rejection is remembered', async () => {
      const { path } = await record(join(recordings.folder, 'visit.wav'), visit);
      await openTab(/^Unnamed/);
      third = await uploadWithRetry(client, path);
      await client.completed(third);
      await until('both are suggested', async () => (await suggestedIn(third)).length === 2);
      // The open page shows the new voices without a reload.
      await page.getByTestId('cluster').filter({ hasText: 'visit' }).first().waitFor();
      assert.deepEqual(await suggestedIn(third), ['SPEAKER_01 Ben', 'SPEAKER_02 Anna']);
      assert.deepEqual(await suggestedIn(second), []);
      await page.goto(`/files/${third}`);
      await page.getByRole('button', { name: 'Accept: Speaker 2 is Anna' }).click();
      await page.locator('[data-testid="speaker"][data-name="Anna"]').waitFor();
    }),
    step('a wrong voice is taken out of a profile', async () => {
      await openTab(/^Profiles/);
      await page.getByRole('button', { name: 'Recordings of Anna' }).click();
      await page.getByRole('button', { name: 'Speaker 2 in visit is not Anna' }).click();
      await until('it has no name', async () => (await namesIn(third)).every((name) => name === null));
    }),
    step('a profile is split and merged again, in a dialog that asks before typed text is lost', async () => {
      await openTab(/^Profiles/);
      const split = page.getByRole('button', { name: /^Split / });
      const [, whole = ''] = /^Split (.+)$/.exec((await split.getAttribute('aria-label')) ?? '') ?? [];
      await split.click();
      await page.getByRole('checkbox').first().waitFor();
      for (const box of await page.getByRole('checkbox').all()) await box.check();
      await page.getByText('At least one voice stays in the profile.').waitFor();
      for (const box of (await page.getByRole('checkbox').all()).slice(0, -1)) await box.uncheck();
      const nameField = page.getByRole('combobox', { name: 'Name of the other person' });
      const existing = whole === 'Anna' ? 'Ben' : 'Anna';
      await nameField.fill(existing.toLowerCase());
      await page.getByText(`The voices are added to the existing profile ${existing}.`).waitFor();
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
      await notice('1 voice belongs to Dora now.').waitFor();
      await page.getByRole('button', { name: 'Rename or merge Dora' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(whole);
      await page.getByText(`There is a profile called ${whole} already.`).waitFor();
      await page.getByLabel('The same person as').first().click();
      await page.getByRole('option', { name: whole }).click();
      await page.getByText('This can’t be undone.').waitFor();
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.locator('[data-testid="profile"][data-name="Dora"]').waitFor({ state: 'detached' });
      await notice(`Dora is part of ${whole} now.`).waitFor();
      await page.getByRole('button', { name: `Split ${whole}` }).waitFor();
    }),
    step(
      'a failure in a dialog that is higher than the window is in view',
      async () => {
        await openTab(/^Profiles/);
        await page.getByRole('button', { name: /^Split / }).click();
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
        type Listed = { profiles: { uuid: string; name: string; speakers: number }[] };
        for (const action of ['Recordings of', 'Rename or merge', 'Delete']) {
          const { profiles } = await client.ok<Listed>('GET', '/api/speaker-profiles');
          const whole = profiles.find(({ speakers }) => speakers > 1);
          const voices = await client.ok<{ speaker_uuid: string }[]>(
            'GET',
            `/api/speaker-profiles/${whole?.uuid}/occurrences`,
          );
          const body = { name: 'Elsa', speaker_uuids: [voices.at(-1)?.speaker_uuid] };
          const elsa = await client.send<{ uuid: string }>('POST', `/api/speaker-profiles/${whole?.uuid}/split`, body);
          await openTab(/^Profiles/);
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
      await openTab(/^Profiles/);
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
      await openTab(/^Unnamed/);
      const voice = page.getByTestId('cluster').filter({ hasText: 'visit' }).filter({ hasText: 'Speaker 2' });
      const name = voice.getByRole('combobox', { name: /^Name of the voice in/ });
      await name.fill('anna');
      await voice.getByText(/added to the existing profile Anna\./).waitFor();
      await name.fill('Clara');
      await voice.getByLabel(/^Who sees the profile/).selectOption({ label: 'Group Factory' });
      await voice.getByText('All members of Factory will see this profile').waitFor();
      await voice.getByRole('button', { name: /^Name (this|all)/ }).click();
      await until('the colleague sees it', async () => (await seenByColleague()).includes('Clara'));
      await notice('named Clara.').waitFor();
    }),
    step('the pages have no accessibility violations and fit into 360 pixels', async () => {
      for (const width of widths) {
        const views = [
          ['speakers-suggestions', page, () => openTab(/^Suggestions/), 'suggested-voice'],
          ['speakers-unnamed', page, () => openTab(/^Unnamed/), 'cluster'],
          ['speakers-profiles', page, () => openTab(/^Profiles/), 'profile-group'],
          ['speakers-move', page, openMove, 'audience'],
          ['admin-voices', boss.page, async () => void (await boss.page.goto('/admin/voices')), 'stored-voices'],
        ] as const;
        for (const [name, shown, open, id] of views) {
          await shown.setViewportSize({ width, height: 800 });
          await open();
          await shown.getByTestId(id).first().waitFor();
          assert.deepEqual(
            await barriers(shown, schemesAt(width)),
            [],
            `${name} has accessibility violations (${width})`,
          );
          await until(`${name} fits into ${width} pixels`, () => fitsWidth(shown));
          await shown.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true });
        }
      }
      for (const shown of [page, boss.page]) await shown.setViewportSize({ width: 1280, height: 800 });
    }),
    step('a deleted profile is not recognised again, and its name stays in the transcript', async () => {
      await openTab(/^Profiles/);
      await page.getByRole('button', { name: 'Delete Ben' }).click();
      await page.getByRole('button', { name: 'Delete the profile' }).click();
      await page.locator('[data-testid="profile"][data-name="Ben"]').waitFor({ state: 'detached' });
      await until('no voice is suggested as Ben', async () =>
        (await suggestions()).every(({ profile }) => profile.name !== 'Ben'),
      );
      assert.ok((await namesIn(first)).includes('Ben'));
    }),
    step('a profile of a group without members is shown to administrators, and deleted by them', async () => {
      await removeMembers();
      for (const width of widths) {
        await boss.page.setViewportSize({ width, height: 800 });
        await boss.page.goto('/speakers');
        await boss.page.getByRole('tab', { name: /^Profiles/ }).click();
        await boss.page.getByTestId('profiles-without-members').getByText('Group Factory').waitFor();
        assert.deepEqual(await barriers(boss.page, schemesAt(width)), [], `accessibility violations (${width})`);
        await until(`it fits into ${width} pixels`, () => fitsWidth(boss.page));
        await boss.page.screenshot({
          path: join(screenshots, `speakers-without-members-${width}.png`),
          fullPage: true,
        });
      }
      await boss.page.setViewportSize({ width: 1280, height: 800 });
      await boss.page.getByRole('button', { name: 'Delete Clara' }).click();
      await boss.page.getByRole('button', { name: 'Delete the profile' }).click();
      await boss.page.getByTestId('profiles-without-members').waitFor({ state: 'detached' });
    }),
    step('switching it off asks first, and deletes all profiles and stored voices', async () => {
      await boss.page.goto('/admin/voices');
      await boss.page.getByRole('switch', { name: 'Store voices and recognise them again' }).click();
      await boss.page.getByRole('button', { name: 'Save', exact: true }).click();
      await boss.page.getByRole('button', { name: 'Switch off and delete' }).click();
      await boss.page.getByTestId('stored-voices').waitFor({ state: 'detached' });
      assert.deepEqual(await client.ok('GET', '/api/speaker-profiles'), {
        enabled: false,
        profiles: [],
        without_members: [],
      });
      await page.goto('/speakers');
      await page.getByText('Voices are not stored on this instance.').waitFor();
    }),
  ];

  return {
    name: 'Speakers in Chromium',
    checks,
    close: async () => {
      await browser?.close();
    },
  };
}
