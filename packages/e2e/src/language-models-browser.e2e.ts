import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { startLanguageModelServer, type LanguageModelServer } from '@overtone/testkit/language-model';
import { barriers, schemesAt, widthsInPassing } from './barriers.ts';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { until } from './until.ts';

const path = '/admin/language-models';
const key = 'sk-scripted';
const name = 'House model';
const ownName = 'My model';

/** A language model from nothing to in use: added, tested, failing, and one of a person's own. */
export function languageModelsInTheBrowser({ scripted, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let server: LanguageModelServer;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const entry = (title: string) => page.locator(`[data-testid="language-model"][data-name="${title}"]`);
  const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click();
  const submit = () => page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  /** The list shows the change before the dialog closes. */
  const save = async (): Promise<void> => {
    await submit();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const sentWhere = (text: RegExp) => page.getByTestId('sent-where').getByText(text).waitFor();
  const fill = async (fields: Record<string, string>): Promise<void> => {
    const form = page.getByRole('dialog');
    for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value);
  };
  const checkLayout = async (title: string, address: string, ready: () => Promise<unknown>): Promise<void> => {
    for (const width of widthsInPassing()) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(address);
      await ready();
      assert.deepEqual(await barriers(page, schemesAt(width)), [], `${address} has accessibility violations`);
      await until(`${address} fits into ${width} pixels`, () => fitsWidth(page));
      await page.screenshot({ path: join(screenshots, `${title}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts',
      run: async () => {
        const { instance } = await scripted.get();
        server = await startLanguageModelServer({ key, contextTokens: 16_384 });
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('without a language model the page says that nothing is sent', async () => {
      await checkLayout('language-models-none', path, () => sentWhere(/Nothing is sent anywhere/));
      await page.getByText('No request was sent to a language model.').waitFor();
    }),
    step('a language model is added: a wrong key is named, models are listed, and the test passes', async () => {
      await page.goto(path);
      await press('Add a language model');
      await fill({ Name: name, Address: server.urls.ollama, Key: 'wrong' });
      await press('List models');
      await page.getByText(/refused the key/).waitFor();
      await fill({ Key: key });
      await press('List models');
      await page.getByText('1 model found. Choose it in the field Model.').waitFor();
      await page.getByRole('combobox', { name: 'Model' }).click();
      await page.getByRole('option', { name: 'scripted-model' }).click();
      await press('Test connection');
      await page.locator('[data-testid="model-test"][data-ok="true"]').waitFor();
      assert.deepEqual(await barriers(page), [], 'the form has accessibility violations');
      await page.screenshot({ path: join(screenshots, 'language-model-form.png') });
      await save();
      await entry(name).getByText('in use').waitFor();
      await entry(name).getByText('Context window: 16,384 tokens, as the server reports.').waitFor();
      await sentWhere(new RegExp(`Passages of transcripts are sent to ${new URL(server.url).host}`));
      assert.ok(!(await page.content()).includes(key));
    }),
    nightly('a change keeps the key, and a failed test says what to do', async () => {
      await press(`Edit: ${name}`);
      await fill({ 'Concurrent requests': '2' });
      await save();
      server.script({ reaction: 'refuse', status: 404 });
      await press(`Test: ${name}`);
      await entry(name).getByText('Choose a model that the server has, and check the address.').waitFor();
      await press(`Test: ${name}`);
      await page.locator('[data-testid="model-test"][data-ok="true"]').waitFor();
      assert.equal(server.calls.at(-1)?.key, key);
    }),
    nightly(
      'a changed address needs the key again',
      async () => {
        await press(`Edit: ${name}`);
        await fill({ Address: 'http://127.0.0.1:9999' });
        await submit();
        await page.getByText(/Enter the key of this server/).waitFor();
        await press('Cancel');
        await press('Discard');
      },
      /400/,
    ),
    nightly('people may be allowed language models of their own, which take precedence', async () => {
      await page.goto('/account');
      await sentWhere(/Passages of transcripts are sent/);
      assert.equal(await page.getByRole('button', { name: 'Add a language model' }).count(), 0);
      await page.goto(path);
      await page.getByRole('switch', { name: 'People may use language models of their own' }).check();
      await page.getByText(/Addresses in private networks stay refused/).waitFor();
      await saveForm(page);
      await page.goto('/account');
      await press('Add a language model');
      await fill({ Name: ownName, Address: server.urls.ollama, Key: key });
      await page.getByRole('combobox', { name: 'Model' }).fill('scripted-model');
      await page.keyboard.press('Tab');
      await save();
      await entry(ownName).getByText('in use').waitFor();
      await sentWhere(/You chose this language model/);
      await checkLayout('language-models-own', '/account', () => entry(ownName).waitFor());
      await press(`Remove: ${ownName}`);
      await press('Remove');
      await entry(ownName).waitFor({ state: 'detached' });
    }),
    nightly('a server that is down is named by the test, with what to do', async () => {
      await server.stop();
      const { providers } = await client.ok<{ providers: { uuid: string }[] }>('GET', '/api/admin/llm-settings');
      assert.equal(providers.length, 1);
      await page.goto(path);
      await press(`Test: ${name}`);
      await entry(name)
        .getByText(/Start the server, or correct its address/)
        .waitFor();
      await checkLayout('language-models', path, async () => {
        await entry(name).getByText('test failed').waitFor();
        // The reason is shown after a reload, too.
        await entry(name)
          .getByText(/cannot be reached/)
          .waitFor();
      });
    }),
    nightly('every change is in the audit log, without the key', async () => {
      for (const event of ['create', 'change', 'delete'])
        await until(`model.provider.${event} is recorded`, async () => {
          const found = await client.ok<{ items: object[] }>(
            'GET',
            `/api/admin/audit-logs?event_type=model.provider.${event}`,
          );
          assert.ok(!JSON.stringify(found).includes(key));
          return found.items.length > 0;
        });
    }),
  ];

  return {
    name: 'Language models in Chromium',
    checks,
    close: async () => {
      await removeModels(client).catch(() => undefined);
      await server?.stop().catch(() => undefined);
      await browser?.close();
    },
  };
}

async function removeModels(client: Client | undefined): Promise<void> {
  if (!client) return;
  const { providers } = await client.ok<{ providers: { uuid: string }[] }>('GET', '/api/admin/llm-settings');
  for (const { uuid } of providers) await client.call('DELETE', `/api/admin/llm-settings/config/${uuid}`);
  await client.send('PUT', '/api/admin/llm-settings', { own_providers: false });
}
