import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Section } from '../ui/pane.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { ModelList } from './model-list.tsx';
import { ownActions, ownModelsQuery } from './model-queries.ts';
import { SentWhere } from './sent-where.tsx';

/** The language models of the person, where the administrator allows them, and what is sent where. */
export function OwnModels() {
  const own = useQuery(ownModelsQuery);
  const isShown = own.data && (own.data.allowed || own.data.providers.length > 0);
  return (
    <Section title={t`Language model`}>
      <Stack gap="md">
        <SentWhere />
        {own.isError && <QueryStatus of={own} failure={t`Your language models couldn’t be loaded`} height={80} />}
        {isShown && !own.data.allowed && (
          <Text size="sm" c="dimmed">
            {t`The administrator no longer allows language models of your own. They are not used; you can remove them.`}
          </Text>
        )}
        {isShown && (
          <ModelList
            models={own.data.providers}
            scope="own"
            actions={ownActions}
            mayChange={own.data.allowed}
            emptyText={t`You have no language model of your own. The one of the system is used.`}
          />
        )}
      </Stack>
    </Section>
  );
}
