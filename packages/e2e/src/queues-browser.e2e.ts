import assert from 'node:assert/strict';
import { queuesWithJobs } from '@overtone/contracts';
import type { Browser, Locator, Page } from '@playwright/test';
import { barriers } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, type Instance } from './instance.ts';
import { waitUntilReady, createCopy, uploadWithRetry } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { freeze } from './victims.ts';

const reason = 'The driver is being exchanged';
const failure = 'The job failed unexpectedly';
const slow = { timeout: jobLimitMs };
const user = { email: 'olga.renn@example.org', name: 'Olga Renn', password: 'Silver-Lantern-73' };

/** The administrator's pages for queues, workers, dead jobs and the timeline of a run. */
export function queuesInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let other: Hands;
  let page: Page;
  let api: Client;
  let instance: Instance;
  let setEngine: (secondsPerHour: number, refusal?: string) => Promise<void>;
  let held = '';
  let broken = '';
  const step = watchedStep(() => [boss, other]);
  const nightly = forNightly(step);
  const row = (queue: string): Locator => page.locator(`[data-queue="${queue}"]`);
  const send = async (number: number): Promise<string> =>
    uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, number));
  const openPanel = async (uuid: string): Promise<void> => {
    await page.goto(`/files/${uuid}`);
    const panel = page.locator('details', { hasText: 'Processing' });
    await panel.locator('summary').waitFor();
    // The panel is already open when a stage failed.
    await until(
      'the timeline is open',
      async () => {
        if (await page.getByTestId('timeline').isVisible()) return true;
        if ((await panel.getAttribute('open')) === null) await panel.locator('summary').click();
        return false;
      },
      jobLimitMs,
    );
  };

  const pauseChecks: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      limitMs: 300_000,
      run: async () => {
        ({ instance, setEngine } = await scripted.get());
        api = await signIn(instance.baseUrl, admin.email, admin.password);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        other = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('every queue with a job kind and every worker is shown', async () => {
      await page.goto('/admin/queues');
      await row('gpu').waitFor();
      assert.equal(await page.locator('[data-queue]').count(), queuesWithJobs.length);
      await page.getByTestId('workers').getByText('transcription-worker').first().waitFor();
      await page.getByTestId('empty').getByText('No failed jobs.').waitFor();
    }),
    step('a queue cannot be paused without a reason, and shows the given reason', async () => {
      await row('gpu').getByRole('button', { name: 'Pause gpu' }).click();
      const dialog = page.getByRole('dialog');
      const pause = dialog.getByRole('button', { name: 'Pause' });
      await dialog.getByLabel('Reason').fill('   ');
      await until('the button is disabled', () => pause.isDisabled());
      await dialog.getByLabel('Reason').fill(reason);
      await pause.click();
      await row('gpu').getByText(reason).waitFor();
      await row('gpu').getByRole('button', { name: 'Resume gpu' }).waitFor();
    }),
    step('a recording in a paused queue is counted there, and shows the reason', async () => {
      held = await send(9_001);
      await page.goto(`/files/${held}`);
      await page.getByTestId('processing').getByText('Paused by an administrator').waitFor(slow);
      await page.getByTestId('processing').getByText(reason).waitFor(slow);
      await boss.snap('file-paused');
      await page.goto('/admin/queues');
      await row('gpu')
        .getByRole('img', { name: /^1 waiting, 0 running/ })
        .waitFor(slow);
      await boss.snap('queues-paused');
    }),
    step('a recording is completed after the queue is resumed', async () => {
      await row('gpu').getByRole('button', { name: 'Resume gpu' }).click();
      await row('gpu').getByRole('button', { name: 'Pause gpu' }).waitFor();
      await api.completed(held);
      const records = await until('pause and resume are in the audit log', async () => {
        const query = '/api/admin/audit-logs?event_type=admin.queue';
        const { items } = await api.ok<{ items: { event_type: string; details: object }[] }>('GET', query);
        return items.length >= 2 && items;
      });
      assert.deepEqual(
        records.map(({ event_type: type }) => type),
        ['admin.queue.resume', 'admin.queue.pause'],
      );
      assert.deepEqual(records[1]?.details, { queue: 'gpu', reason });
    }),
  ];

  const deadJobChecks: Check[] = [
    nightly('a permanently failed job is listed among the dead jobs with its reason', async () => {
      await setEngine(0, 'The engine has failed');
      broken = await send(9_002);
      await until('the file has failed', async () => (await api.file(broken)).status === 'error', 120_000);
      await page.goto('/admin/queues');
      const kinds = page.getByTestId('dead-kinds');
      await kinds.getByText('Transcribing').waitFor(slow);
      await kinds.getByRole('button', { name: /^Jobs of Transcribing/ }).click();
      await kinds.getByText(failure).waitFor();
      const dead = row('gpu').locator('dl > div', { hasText: 'Failed' }).locator('dd');
      await until('the queue counts the dead job', async () => (await dead.innerText()) === '1');
      await boss.snap('queues-dead');
    }),
    nightly('the attempts of a failed job are shown on the page of its file', async () => {
      await openPanel(broken);
      const attempts = page.getByRole('list', { name: 'Attempts of Transcribing' });
      await attempts.getByText(new RegExp(`Attempt 1.*failed.*${failure}`)).waitFor();
      await boss.snap('timeline-failed');
    }),
    nightly('a retried job completes, and its earlier attempts are still shown', async () => {
      await setEngine(0);
      await page.goto('/admin/queues');
      const kinds = page.getByTestId('dead-kinds');
      await kinds.getByRole('button', { name: /^Jobs of Transcribing/ }).click();
      await kinds.getByRole('button', { name: /^Retry copy-9002/ }).click();
      await page.getByText('Retrying 1 job.').waitFor();
      await page.getByText('No failed jobs.').waitFor();
      await api.completed(broken);
      await openPanel(broken);
      const attempts = page.getByRole('list', { name: 'Attempts of Transcribing' });
      await attempts.getByText(/Attempt \d+.*done/).waitFor();
      await attempts.getByText(/Attempt 1.*failed/).waitFor();
      await boss.snap('timeline-retried');
    }),
    nightly('discarded dead jobs are removed from the list, and their recording is kept', async () => {
      await setEngine(0, 'The engine has failed');
      const lost = await send(9_003);
      await until('the file has failed', async () => (await api.file(lost)).status === 'error', 120_000);
      await setEngine(0);
      await page.goto('/admin/queues');
      await page
        .getByTestId('dead-kinds')
        .getByRole('button', { name: /^Discard all: Transcribing/ })
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Discard 1 job?').waitFor();
      await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
      await page.getByText('No failed jobs.').waitFor(slow);
      assert.equal((await api.file(lost)).status, 'error');
    }),
    nightly('tasks can be filtered by queue and state, and show their attempts', async () => {
      await page.goto('/admin/queues');
      await page.getByLabel('Queue of tasks').selectOption('gpu');
      await page.getByLabel('Status of tasks').selectOption('completed');
      const tasks = page.getByTestId('tasks');
      await until('only those of the queue are shown', async () => {
        const names = await tasks.getByRole('button').allInnerTexts();
        return names.length > 0 && names.every((name) => /Transcribing|Identifying speakers/.test(name));
      });
      await tasks.getByRole('button', { name: /^Attempts of Transcribing, copy-9002/ }).click();
      await tasks.getByText(/Attempt 1.*failed/).waitFor();
    }),
  ];

  const pageChecks: Check[] = [
    nightly('the pages have no accessibility violations in both color schemes and fit a small screen', async () => {
      for (const [path, name] of [
        ['/admin/queues', 'queues'],
        [`/files/${broken}`, 'timeline'],
      ] as const) {
        await page.setViewportSize({ width: 1280, height: 1400 });
        if (name === 'timeline') await openPanel(broken);
        else await page.goto(path);
        await page.locator(name === 'timeline' ? '[data-testid="timeline"]' : '[data-queue="embedding"]').waitFor();
        assert.deepEqual(await barriers(page), []);
        await boss.snap(`${name}-1280`);
        await page.setViewportSize({ width: 360, height: 1400 });
        await until(`${path} fits`, () => fitsWidth(page));
        await boss.snap(`${name}-360`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    nightly(
      'an unavailable broker is reported with the age of the shown figures',
      async () => {
        await page.goto('/admin/queues');
        await row('gpu').waitFor();
        const thaw = freeze(instance, 'nats');
        try {
          await page.getByText('The queues couldn’t be loaded').waitFor(slow);
          await page
            .getByText(/Last updated at \d/)
            .first()
            .waitFor();
          assert.equal(await row('gpu').count(), 1);
          await boss.snap('queues-broker-away');
        } finally {
          thaw();
        }
        await page.getByText('The queues couldn’t be loaded').waitFor({ ...slow, state: 'detached' });
        await waitUntilReady(instance);
        // A new page, because the old one may still be reconnecting.
        await page.reload();
        await row('gpu').waitFor();
      },
      /\b50[34]\b|WebSocket/,
    ),
    step(
      'a user without the administrator role cannot open the page',
      async () => {
        await api.send('POST', '/api/admin/users', {
          email: user.email,
          full_name: user.name,
          password: user.password,
          must_change_password: false,
        });
        await other.signIn(user.email, user.password, 'Library');
        await other.page.goto('/admin/queues');
        await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
        assert.equal(await other.page.locator('[data-queue]').count(), 0);
      },
      /\b40[34]\b/,
    ),
  ];

  return {
    name: 'Queues, workers and dead jobs in Chromium',
    checks: [...pauseChecks, ...deadJobChecks, ...pageChecks],
    close: async () => {
      await setEngine?.(0);
      await api?.call('POST', '/api/admin/queues/gpu/resume');
      await browser?.close();
    },
  };
}
