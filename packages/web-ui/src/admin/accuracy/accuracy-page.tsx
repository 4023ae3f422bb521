import { t } from '@lingui/core/macro';
import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { engineWithModel } from '../../ui/engine-names.ts';
import { percent } from '../../lib/format.ts';
import { readerLocale } from '../../lib/language.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { languageName } from '../../uploads/languages.ts';

type Row = ResponseBody<'GET /api/admin/accuracy'>['rows'][number];

/** Administration > Accuracy: the word error rate of engines and models, as far as people have corrected transcripts. */
export function AccuracyPage() {
  const figures = useQuery({
    queryKey: ['accuracy'],
    queryFn: ({ signal }) => call('GET /api/admin/accuracy', { signal }),
  });
  return (
    <Pane title={t`Accuracy`}>
      <Section title={t`Word error rate`}>
        <Stack gap="md">
          <Text size="sm">
            {t`The word error rate is the share of substituted, missing and surplus words between the automatic transcript and its corrected version. Case and punctuation don’t count. Only corrected recordings are included, and errors that nobody corrected count as right: use the rates to compare engines and months.`}
          </Text>
          <QueryStatus of={figures} failure={t`The figures couldn’t be loaded`} />
          {figures.data?.rows.length === 0 && <Empty>{t`No transcript was corrected yet.`}</Empty>}
          {figures.data && figures.data.rows.length > 0 && (
            <Sheet
              testId="accuracy-figures"
              heads={[t`Month`, t`Engine`, t`Language`, t`Recordings`, t`Words`, t`Word error rate`]}
            >
              {figures.data.rows.map((row) => (
                <FigureRow key={JSON.stringify([row.month, row.provider, row.model, row.language])} row={row} />
              ))}
            </Sheet>
          )}
          {figures.data?.complete === false && (
            <Text size="sm" c="dimmed">
              {t`Earlier months are left out.`}
            </Text>
          )}
        </Stack>
      </Section>
    </Pane>
  );
}

function FigureRow({ row }: { row: Row }) {
  const { recordings, words, errors, language } = row;
  return (
    <Table.Tr>
      <Table.Td>{monthName(row.month)}</Table.Td>
      <Table.Td data-label={t`Engine`} style={{ overflowWrap: 'anywhere' }}>
        {engineWithModel(row)}
      </Table.Td>
      <Table.Td data-label={t`Language`}>{language === null ? t`unknown` : languageName(language)}</Table.Td>
      <Table.Td data-label={t`Recordings`}>{recordings.toLocaleString(readerLocale())}</Table.Td>
      <Table.Td data-label={t`Words`}>{words.toLocaleString(readerLocale())}</Table.Td>
      <Table.Td data-label={t`Word error rate`}>{words === 0 ? '–' : percent(errors, words)}</Table.Td>
    </Table.Tr>
  );
}

function monthName(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString(readerLocale(), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
