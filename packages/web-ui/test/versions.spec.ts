import { example, exampleItem, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const version = exampleItem('GET /api/files/{uuid}/transcript/versions', 'items', {
  uuid: uuid(90),
  name: 'Before proofreading',
  user_name: 'Grace Hopper',
  corrections_since: 2,
  available: true,
});
const texts = ['Good morning everybody', 'Let us begin'];
const replaced = { ...version, uuid: uuid(91), name: 'Old', available: false };

test.describe('versions of a transcript', () => {
  test('are compared side by side, and one is restored by the keyboard', async ({ page, api }) => {
    storeTranscript(texts).serve(api);
    api.respond('GET /api/files/{uuid}/transcript/versions', { items: [version, replaced], corrections: 3 });
    api.respond('GET /api/files/{uuid}/transcript/differences', {
      differences: [
        {
          before: [{ start_time: 65, end_time: 70, speaker: 'Ada', pieces: [{ text: 'teh', changed: true }] }],
          after: [
            {
              start_time: 65,
              end_time: 70,
              speaker: null,
              pieces: [
                { text: 'the', changed: true },
                { text: 'end', changed: false },
              ],
            },
          ],
        },
      ],
      complete: true,
      words: 10,
      words_removed: 1,
      words_added: 1,
    });
    api.respond(
      'POST /api/files/{uuid}/transcript/restore',
      example('POST /api/files/{uuid}/transcript/restore', { transcript_version: 2, changed: 1 }),
    );
    await startSession(page, api);
    await page.goto(transcriptPath);
    const versions = page.getByRole('button', { name: 'Versions', exact: true });
    await versions.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Compare and restore' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('listitem')).toHaveText([
      /Before proofreading.*by Grace Hopper · 2 corrections since/,
      /Old.*can’t be shown/,
      /Automatic transcript.*3 corrections since/,
    ]);
    await expect(dialog.getByRole('button', { name: 'Compare “Old” with the present text' })).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Compare “Before proofreading” with the present text' }).press('Enter');
    const differences = dialog.getByTestId('differences');
    await expect(differences).toContainText('1 place differs: 1 of 10 words are not in the present text, 1 are new.');
    await expect(differences.locator('del')).toHaveText(['teh']);
    await expect(differences.locator('ins')).toHaveText(['the']);
    await expect(differences.getByRole('group', { name: 'Present text' })).toContainText('1:05–1:10 No speaker');
    await dialog.getByRole('button', { name: 'Restore “Before proofreading”' }).press('Enter');
    await page.getByText('“Before proofreading” is restored.').waitFor();
    expect(api.sent('POST /api/files/{uuid}/transcript/restore')).toEqual([
      { uuid: expect.any(String), version_uuid: version.uuid },
    ]);
    await expect(dialog).toHaveCount(0);
    await expect(versions).toBeFocused();
  });

  test('save what was typed before a version is named', async ({ page, api }) => {
    storeTranscript(texts).serve(api);
    await startSession(page, api);
    await page.goto(transcriptPath);
    const text = page.getByRole('textbox', { name: 'Transcript' });
    await text.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' typed');
    await page.getByRole('button', { name: 'Versions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Name this version' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(JSON.stringify(api.sent('POST /api/files/{uuid}/transcript/operations'))).toContain('typed');
  });

  test('are only compared by people who may only view', async ({ page, api }) => {
    storeTranscript(texts, { permission: 'viewer' }).serve(api);
    api.respond('GET /api/files/{uuid}/transcript/versions', { items: [version], corrections: 3 });
    await startSession(page, api);
    await page.goto(transcriptPath);
    await page.getByRole('button', { name: 'Versions', exact: true }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['Compare versions']);
    await page.getByRole('menuitem').click();
    await expect(page.getByRole('dialog').getByRole('button', { name: /^(Restore|Remove)/ })).toHaveCount(0);
  });
});
