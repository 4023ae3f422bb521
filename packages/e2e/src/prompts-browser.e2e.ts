import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { settingsByKey } from '@overtone/testkit';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { signInAsOther } from './people.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { until } from './until.ts';

const name = 'Board meetings';
const copyName = 'Copy of Meeting';

/** Prompts from a copy of the built-in one to a shared one that another person uses, and the organisation context. */
export function promptsInTheBrowser({ scripted, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let other: Client;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const entry = (prompt: string) => page.locator(`[data-prompt="${prompt}"]`);
  const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click();
  const choose = async (prompt: string, action: string): Promise<void> => {
    await press(`Actions for ${prompt}`);
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const activeOf = async (person: Client) => {
    const { items } = await person.ok<{
      items: { content_type: string; prompt: { name: string }; is_fallback: boolean }[];
    }>('GET', '/api/prompts/active/current');
    const meeting = items.find((item) => item.content_type === 'meeting');
    return `${meeting?.prompt.name}, ${meeting?.is_fallback ? 'replaced' : 'chosen'}`;
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts',
      run: async () => {
        const { instance } = await scripted.get();
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        other = await signInAsOther(instance, 'prompt-reader@example.org');
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('a built-in prompt is shown and copied, and the copy is changed', async () => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Prompts', exact: true }).click();
      await page.getByRole('heading', { name: 'Prompts', level: 1 }).waitFor();
      await choose('Meeting', 'Show instructions');
      await page.getByTestId('prompt-text').getByText('Write the minutes of this meeting.').waitFor();
      await page.keyboard.press('Escape');
      await choose('Meeting', 'Make a copy');
      await press('Save');
      await entry(copyName).waitFor();
      await choose(copyName, 'Change');
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('Instructions', { exact: true }).fill('Name every risk.\n<b>Not bold.</b>');
      await press('Save');
      await entry(name).waitFor();
      await choose(name, 'Show instructions');
      await page.getByTestId('prompt-text').getByText('<b>Not bold.</b>').waitFor();
      await page.keyboard.press('Escape');
    }),
    step('a prompt is used, and shared with another person', async () => {
      await entry(name).getByRole('button', { name: 'Use', exact: true }).click();
      await page.getByTestId('active-prompts').getByText(name).waitFor();
      assert.equal(await activeOf(client), `${name}, chosen`);
      await choose(name, 'Share with everyone');
      await entry(name).getByText('Shared', { exact: true }).waitFor();
      const library = await other.ok<{ items: { uuid: string; name: string; owner_name: string }[] }>(
        'GET',
        '/api/prompts/shared/library',
      );
      const shared = library.items.find((item) => item.name === name);
      await other.send('POST', '/api/prompts/active/set', { prompt_uuid: shared?.uuid });
      assert.equal(await activeOf(other), `${name}, chosen`);
    }),
    step('the list is filtered, and says when nothing matches', async () => {
      await page.getByLabel('Origin').selectOption('My prompts');
      await until('only own prompts are listed', async () => (await page.locator('[data-prompt]').count()) === 1);
      await page.getByLabel('Kind of recording').selectOption('Podcast');
      await page.getByText('No prompt matches.').waitFor();
      await page.reload();
    }),
    step('a deleted prompt is replaced by the built-in one, and the page says so', async () => {
      await other.send('POST', '/api/prompts', { name: 'Own of the other', text: 'x' });
      await choose(name, 'Delete');
      await press('Delete the prompt');
      await entry(name).waitFor({ state: 'detached' });
      assert.equal(await activeOf(other), 'Meeting, replaced');
      await page.getByTestId('active-prompts').getByText('Meeting (built-in)').waitFor();
    }),
    step('what is sent about the organisation is saved', async () => {
      await page.goto('/admin/organisation');
      await page.getByLabel('About the organisation', { exact: true }).fill('Acme makes anvils.');
      await saveForm(page);
      const saved = settingsByKey(await client.ok('GET', '/api/admin/organisation-context'));
      assert.equal(saved['organisation_context']?.value, 'Acme makes anvils.');
      await until('it is in the audit log', async () => {
        const found = await client.ok<{ items: object[] }>(
          'GET',
          '/api/admin/audit-logs?event_type=admin.organisation.context',
        );
        assert.ok(!JSON.stringify(found).includes('anvils'));
        return found.items.length > 0;
      });
    }),
    nightly('the pages have no accessibility violations and fit into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const [title, path, ready] of [
          ['prompts', '/prompts', page.getByTestId('active-prompts')],
          ['organisation', '/admin/organisation', page.getByLabel('About the organisation', { exact: true })],
        ] as const) {
          await page.goto(path);
          await ready.waitFor();
          assert.deepEqual(await barriers(page, schemesAt(width)), [], `${path} has accessibility violations`);
          await until(`${path} fits into ${width} pixels`, () => fitsWidth(page));
          await page.screenshot({ path: join(screenshots, `${title}-${width}.png`), fullPage: true });
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto('/prompts');
      await press('New prompt');
      await page.getByLabel('Instructions', { exact: true }).waitFor();
      assert.deepEqual(await barriers(page), [], 'the form has accessibility violations');
    }),
  ];

  return {
    name: 'Prompts in Chromium',
    checks,
    close: async () => {
      await client
        ?.send('PUT', '/api/admin/organisation-context', { organisation_context: null })
        .catch(() => undefined);
      await browser?.close();
    },
  };
}
