import { t } from '@lingui/core/macro';
import { Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { ModelList } from '../../language-models/model-list.tsx';
import { systemActions, systemModelsQuery, type SystemModels } from '../../language-models/model-queries.ts';
import { SentWhere } from '../../language-models/sent-where.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { ModelUsage } from './model-usage.tsx';

/** Administration > Language models: which one everyone uses, what is sent where, and the used tokens. */
export function LanguageModelsPage() {
  const models = useQuery(systemModelsQuery);
  return (
    <Pane title={t`Language models`}>
      <Stack gap="lg">
        <SentWhere />
        <QueryStatus of={models} failure={t`The language models couldn’t be loaded`} height={320} />
        {models.data && (
          <>
            <Section title={t`For everyone`}>
              <ModelList
                models={models.data.providers}
                scope="system"
                actions={systemActions}
                mayChange
                emptyText={t`No language model. Summaries and topics are made on this server, without one.`}
              />
            </Section>
            <Section title={t`Use`}>
              <UseSettings settings={models.data.settings} />
            </Section>
          </>
        )}
        <Section title={t`Tokens of the last 30 days`}>
          <ModelUsage />
        </Section>
      </Stack>
    </Pane>
  );
}

function UseSettings({ settings }: { settings: SystemModels['settings'] }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (body: Partial<SystemModels['settings']>) => call('PUT /api/admin/llm-settings', { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['language-models'] });
      notify(t`Saved.`);
    },
    onError: (error) => notifyError(t`The setting wasn’t saved`, error),
  });
  const shown = { ...settings, ...(save.isPending ? save.variables : {}) };
  return (
    <Stack gap="md">
      <Switch
        label={t`Summarise every recording`}
        description={t`Summary, topics and speaker names are made after each transcription.`}
        checked={shown.automatic}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ automatic: event.currentTarget.checked })}
      />
      <Switch
        label={t`People may use language models of their own`}
        description={t`Each person chooses where the text of their transcripts is sent.`}
        checked={shown.own_providers}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ own_providers: event.currentTarget.checked })}
      />
      {shown.own_providers && (
        <Text size="sm" c="dimmed">
          {t`Addresses in private networks stay refused, except those that the operator allows.`}
        </Text>
      )}
    </Stack>
  );
}
