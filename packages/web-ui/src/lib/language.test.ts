import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { i18n } from '@lingui/core';
import { msg, plural } from '@lingui/core/macro';
import { I18nProvider } from '@lingui/react';
import { formatter } from '@lingui/format-po';
import { MantineProvider } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { ApiError } from '@overtone/client';
import { signInMessage } from '../session/sign-in-messages.ts';
import { roleNames } from '../ui/account-labels.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ago, formatNumber, moment, timeLeft } from './format.ts';
import { activateLanguage, translateOnRead } from './language.ts';

afterAll(() => activateLanguage('en', {}, []));

describe('a language other than English', () => {
  beforeAll(async () => activateLanguage('de', await bracketedMessages(), []));

  it('translates every text of a component', () => {
    const note = createElement(ErrorNote, { error: new ApiError(0, {}), onRetry: () => undefined });
    const html = renderToStaticMarkup(
      createElement(MantineProvider, null, createElement(I18nProvider, { i18n, children: note })),
    );
    const texts = html.replace(/<style.*?<\/style>/gs, '').match(/[^<>]+(?=<)/g) ?? [];
    expect(texts.filter((text) => /\p{Ll}{2}/u.test(text))).toEqual([
      '⟦Overtone is not responding⟧',
      '⟦Can’t connect. Check your connection, then try again.⟧ ',
      '⟦Try again⟧',
      '⟦Details⟧',
      'unreachable',
    ]);
  });
  it('translates tables of modules that were loaded before', () => {
    expect([roleNames.admin, signInMessage(new Error('x')).title]).toEqual(['⟦Administrator⟧', '⟦Sign-in failed⟧']);
  });
  it('translates plurals, with its own format of numbers', () => {
    expect([timeLeft(9000), formatNumber(1234.5)]).toEqual(['⟦about 2,5 hours left⟧', '1.234,5']);
  });
});

it('uses the singular for one and the plural otherwise', () => {
  activateLanguage('en', {}, []);
  const files = (count: number) => plural(count, { one: '# file', other: '# files' });
  expect([0, 1, 2, 1234].map(files)).toEqual(['0 files', '1 file', '2 files', '1,234 files']);
});

describe('activateLanguage', () => {
  const may = '2026-05-21T12:00:00Z';
  it.each([
    [['en-GB', 'en'], '21 May 2026'],
    [['en-US', 'en'], 'May 21, 2026'],
    [['de', 'en-GB'], '21 May 2026'],
    [['de'], '21 May 2026'],
    [['en-US@posix', 'en-GB'], '21 May 2026'],
  ])('shows dates to a browser with the languages %j as %p', (preferred, date) => {
    activateLanguage('en', {}, preferred);
    expect([ago(may, new Date('2026-11-21')), moment(may).startsWith(date)]).toEqual([date, true]);
  });
});

describe('translateOnRead', () => {
  it('keeps values that are no messages, and translates messages at any depth', () => {
    activateLanguage('en', {}, []);
    const table = translateOnRead({ list: [{ value: 'a', label: msg`Saved` }], none: null });
    expect([table.list[0].value, table.list[0].label, table.none]).toEqual(['a', 'Saved', null]);
  });
});

/** The catalogue with every message in brackets. */
async function bracketedMessages(): Promise<Record<string, string>> {
  const file = join(import.meta.dirname, '../locales/en.po');
  const catalogue = await formatter().parse(readFileSync(file, 'utf8'), {
    locale: 'en',
    sourceLocale: 'en',
    filename: file,
  });
  return Object.fromEntries(Object.entries(catalogue).map(([id, { message = '' }]) => [id, `⟦${message}⟧`]));
}
