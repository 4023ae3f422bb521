import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useDraft } from '../../state/use-draft.ts';
import { RestoredNote } from '../../ui/draft.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';

const contextQuery = queryOptions({
  queryKey: ['organisation-context'],
  queryFn: ({ signal }) => call('GET /api/admin/organisation-context', { signal }),
});

/** What language models are told about the organisation. */
export function OrganisationPage() {
  const context = useQuery(contextQuery);
  return (
    <Pane title={t`Organisation context`}>
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`Names, products, abbreviations: what a language model should know about your organisation. The text is part of every request to a language model, also to providers outside of your network. Write nothing secret here.`}
      </Text>
      <Section title={t`Context`}>
        {context.data ? (
          <ContextForm saved={context.data.organisation_context} />
        ) : (
          <QueryStatus of={context} failure={t`The context couldn’t be loaded`} height={240} />
        )}
      </Section>
    </Pane>
  );
}

function ContextForm({ saved }: { saved: string }) {
  const client = useQueryClient();
  const draft = useDraft('organisation-context', saved);
  const save = useMutation({
    mutationFn: () =>
      call('PUT /api/admin/organisation-context', { body: { organisation_context: draft.value.trim() || null } }),
    onSuccess: (next) => {
      client.setQueryData(contextQuery.queryKey, next);
      draft.drop();
      notify(t`Saved.`);
    },
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.changed) save.mutate();
      }}
    >
      <Stack gap="md" maw={640}>
        {draft.changed && <RestoredNote draft={draft} />}
        <Textarea
          label={t`About the organisation`}
          description={t`At most 10,000 characters. Empty: nothing is sent.`}
          autosize
          minRows={6}
          maxRows={20}
          maxLength={10_000}
          value={draft.value}
          onChange={(event) => draft.set(event.currentTarget.value)}
        />
        {save.error && <ErrorNote error={save.error} title={t`The context wasn’t saved`} />}
        <Group>
          <Button type="submit" disabled={!draft.changed} loading={save.isPending}>
            {t`Save`}
          </Button>
          {draft.changed && (
            <Button variant="default" disabled={save.isPending} onClick={draft.drop}>
              {t`Discard changes`}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
