import { example, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

test('a first question whose answer is lost says so, and is given back', async ({ page, api }) => {
  const fields = { uuid: uuid(60), scope: 'library', is_owner: true } as const;
  const begin = 'POST /api/ask/conversations';
  const send = 'POST /api/ask/conversations/{uuid}/messages';
  api.respond(begin, example(begin, fields));
  api.respond('GET /api/ask/conversations/{uuid}', example('GET /api/ask/conversations/{uuid}', fields));
  await startSession(page, api);
  await page.goto('/ask');
  await page.getByRole('textbox', { name: 'Question' }).fill('What was decided?');
  const release = api.hold(send);
  api.lose(send);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(page).toHaveURL(/conversation=/);
  release();
  await expect(page.getByRole('alert')).toContainText('The question wasn’t answered');
  await expect(page.getByRole('textbox', { name: 'Question' })).toHaveValue('What was decided?');
});
