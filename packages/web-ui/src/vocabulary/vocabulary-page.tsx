import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Stack, Table, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, type FormEvent } from 'react';
import { call } from '../api/client.ts';
import { useDraft } from '../state/use-draft.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { Pane, Section } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { ago, moment } from '../lib/format.ts';
import { vocabularyQuery } from './vocabulary-queries.ts';

/** The names and terms that speech engines expect in the recordings of the person. */
export function VocabularyPage() {
  const client = useQueryClient();
  const vocabulary = useQuery(vocabularyQuery);
  const field = useRef<HTMLInputElement>(null);
  const remove = useMutation({
    mutationFn: (uuid: string) => call('DELETE /api/vocabulary/{uuid}', { params: { uuid } }),
    onError: (error) => notifyError(t`The entry wasn’t removed`, error),
    onSettled: () => client.invalidateQueries({ queryKey: vocabularyQuery.queryKey }),
    onSuccess: () => field.current?.focus(),
  });
  const items = vocabulary.data?.items;
  return (
    <Pane title={t`Vocabulary`}>
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`Names and terms that the speech engine should expect in your recordings, in the spelling that you want. They apply to your next uploads and when you transcribe again. Engines take as many as fit, usually about thirty, the newest first.`}
      </Text>
      <Stack gap="lg">
        <Section title={t`New entry`}>
          <AddTerm field={field} />
        </Section>
        <Section
          title={
            items && items.length > 0
              ? plural(items.length, { one: '# entry', other: '# entries' })
              : t`Your vocabulary`
          }
        >
          <QueryStatus of={vocabulary} failure={t`Your vocabulary couldn’t be loaded`} />
          {items?.length === 0 && (
            <Empty>{t`Nothing yet. Spellings that you replace or correct in a transcript are offered to be kept here.`}</Empty>
          )}
          {items && items.length > 0 && (
            <Sheet testId="vocabulary" heads={[t`Name or term`, t`Kept`, t`Remove`]}>
              {items.map(({ uuid, term, created_at: keptAt }) => (
                <Table.Tr key={uuid}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{term}</Table.Td>
                  <Table.Td data-label={t`Kept`} title={moment(keptAt)}>
                    {ago(keptAt)}
                  </Table.Td>
                  <Table.Td>
                    <Tooltip label={t`Remove`}>
                      <ActionIcon
                        aria-label={t`Remove “${term}”`}
                        loading={remove.isPending && remove.variables === uuid}
                        onClick={() => remove.mutate(uuid)}
                      >
                        <Icon name="trash" size={18} />
                      </ActionIcon>
                    </Tooltip>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Sheet>
          )}
        </Section>
      </Stack>
    </Pane>
  );
}

function AddTerm({ field }: { field: React.RefObject<HTMLInputElement | null> }) {
  const client = useQueryClient();
  const draft = useDraft('new-vocabulary', '');
  const add = useMutation({
    mutationFn: (term: string) => call('POST /api/vocabulary', { body: { term } }),
    onSuccess: async (_, term) => {
      draft.dropSaved(term);
      field.current?.focus();
      await client.invalidateQueries({ queryKey: vocabularyQuery.queryKey });
    },
  });
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.value.trim() !== '') add.mutate(draft.value);
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm" maw={480}>
        {add.error && <ErrorNote error={add.error} title={t`The entry wasn’t kept`} />}
        <Group align="flex-end" wrap="nowrap">
          <TextInput
            ref={field}
            label={t`Name or term`}
            maxLength={80}
            autoComplete="off"
            value={draft.value}
            onChange={(event) => draft.set(event.currentTarget.value)}
            style={{ flex: 1 }}
          />
          <Button type="submit" variant="default" loading={add.isPending} disabled={draft.value.trim() === ''}>
            {t`Keep`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
