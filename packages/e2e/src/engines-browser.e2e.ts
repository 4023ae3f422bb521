import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AnswerOf, AsrProviderInput, mediaRoutes } from '@overtone/contracts';
import type { Browser, Page } from '@playwright/test';
import { startSpeechServer, type SpeechServer } from '@overtone/testkit/speech-server';
import { saveProviders } from './asr-providers.ts';
import { barriers } from './barriers.ts';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy } from './scripted.ts';
import { forNightly, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

/** The panels Engine configuration and ASR provider: a change reaches the workers without a restart. */
export function enginesInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  const servers: SpeechServer[] = [];
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const save = () => saveForm(page);
  const reported = (key: string, text: string) =>
    page.locator(`[data-testid="engine-reports"] tr[data-key="${key}"]`).getByText(text).waitFor({ timeout: 30_000 });
  const sourceOf = (key: string) =>
    page.locator(`[data-testid="setting"][data-key="${key}"]`).getAttribute('data-source');
  const isUsable = async (name: string): Promise<void> => {
    assert.deepEqual(await barriers(page), []);
    for (const width of [360, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      await until(`the page fits ${width} px`, () => fitsWidth(page));
      await page.screenshot({ path: `${screenshots}/${name}-${width}.png`, fullPage: true });
    }
  };

  return {
    name: 'Engine configuration and ASR provider in Chromium',
    checks: [
      {
        rule: 'Chromium starts and the administrator signs in',
        run: async () => {
          const { instance } = await scripted.get();
          browser = await launchBrowser();
          boss = await openHands(browser, instance.baseUrl, screenshots);
          page = boss.page;
          await boss.signIn(admin.email, admin.password, 'Library');
        },
      },
      step('the page shows the value of the environment and what the workers report', async () => {
        await page.goto('/admin/engine');
        await page.getByRole('heading', { name: 'Engine configuration' }).waitFor();
        await reported('gpu_concurrency', '4 (environment)');
        await until('the environment is shown', async () => (await sourceOf('gpu_concurrency')) === 'environment');
      }),
      step('a changed value reaches the worker without a restart, and Reset returns to the default', async () => {
        await page.getByLabel('Threads').fill('3');
        await save();
        await reported('threads', '3 (set here)');
        await press('Reset: Threads');
        await save();
        await reported('threads', '(computed)');
      }),
      step(
        'bounds that exclude each other are refused at their field',
        async () => {
          await page.getByLabel('Minimum speakers').fill('5');
          await page.getByLabel('Maximum speakers').fill('2');
          await press('Save');
          await page.getByText('must not be less than the minimum number of speakers').first().waitFor();
          await press('Discard changes');
        },
        /\b400\b/,
      ),
      nightly('the engine page has no barriers and fits a phone', () => isUsable('engine-configuration')),
      step('a provider is tested before it is saved, and then used by the workers', async () => {
        await page.goto('/admin/asr');
        await page.getByText('The workers use the best engine that is installed.').waitFor();
        await press('Add provider');
        await page.getByRole('menuitem', { name: 'PocketSphinx' }).click();
        await press('Test: PocketSphinx');
        await page.locator('[data-testid="provider-test"][data-ok="true"]').waitFor({ timeout: jobLimitMs });
        await save();
        const engine = page.getByTestId('worker-engines').getByRole('row').filter({ hasText: 'PocketSphinx' });
        await engine.getByText('ready', { exact: true }).first().waitFor({ timeout: jobLimitMs });
      }),
      step('a server that does not respond fails its test', async () => {
        await press('Add provider');
        await page.getByRole('menuitem', { name: 'OpenAI-compatible server' }).click();
        await page.getByLabel('Address').fill('http://127.0.0.1:1024/v1');
        await press('Test: OpenAI-compatible server');
        await page.getByText('The speech service does not answer').waitFor({ timeout: jobLimitMs });
      }),
      nightly('the provider page has no barriers and fits a phone', () => isUsable('asr-provider')),
      step('without providers the environment is used again', async () => {
        await press('Remove: OpenAI-compatible server');
        await press('Remove: PocketSphinx');
        await save();
        await page.getByTestId('worker-engines').getByText('scripted (environment)').waitFor({ timeout: jobLimitMs });
      }),
      {
        rule: 'an upload is transcribed by the provider that it chooses, with the vocabulary of that provider',
        isNightly: true,
        run: async () => {
          const { instance } = await scripted.get();
          const api = await signIn(instance.baseUrl, admin.email, admin.password);
          servers.push(await startSpeechServer(), await startSpeechServer());
          const [first, second] = servers.map(({ baseUrl }, i) => providerOf(baseUrl, i)) as [Provider, Provider];
          await saveProviders(api, [first, second]);
          const offered = await until(
            'the choice is offered',
            async () => {
              const { providers } = await api.ok<AnswerOf<(typeof mediaRoutes)['uploadLimits']>>(
                'GET',
                '/api/files/upload-limits',
              );
              return providers.length > 0 && providers;
            },
            jobLimitMs,
          );
          assert.deepEqual(offered, [{ id: second.id, name: second.name }]);
          const refused = await api.upload(recordings.brief.path, { asr_provider: first.id });
          assert.deepEqual([refused.status, (refused.body as { code?: string }).code], [400, 'provider_unknown']);
          const path = await createCopy(recordings.brief.path, recordings.folder, 9_701);
          const { body } = await api.upload(path, { asr_provider: second.id, language: 'en' });
          const { engine, transcript_segments: segments } = await api.completed(body.uuid);
          assert.deepEqual([engine?.provider, engine?.model], ['openai-compatible', second.model]);
          assert.match(segments.map(({ text }) => text).join(' '), /good morning/i);
          const forms = servers.map(({ received }) => received.map(({ form }) => form.get('prompt')));
          assert.deepEqual(forms, [[], ['Overtone, NATS']]);
          assert.equal(servers[1]?.received[0]?.form.get('model'), second.model);
          await saveProviders(api, []);
        },
      },
    ],
    close: async () => {
      for (const server of servers) server.close();
      await browser?.close();
    },
  };
}

type Provider = AsrProviderInput;

/** The second one may be chosen. */
function providerOf(base_url: string, index: number): Provider {
  return {
    id: randomUUID(),
    name: ['First', 'Second'][index] ?? '',
    kind: 'openai-compatible',
    enabled: true,
    selectable: index === 1,
    languages: [],
    model: `model-${index}`,
    base_url,
    vocabulary: index === 1 ? ['Overtone', 'NATS'] : ['Other'],
    parallel_requests: 1,
    timeout_seconds: 60,
    max_audio_seconds: null,
  };
}
