import { plural, t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { retentionSettingsQuery } from './retention-queries.ts';
import { RuleList } from './rule-list.tsx';
import { RetentionRuns } from './run-list.tsx';
import { RetentionSettingsForm } from './settings-section.tsx';

/** Administration > Retention: which recordings are deleted automatically. */
export function RetentionPage() {
  const settings = useQuery(retentionSettingsQuery);
  return (
    <Pane title={t`Retention`}>
      <Stack gap="lg">
        <Section title={t`Rules`}>
          <RuleList />
        </Section>
        <Section title={t`Runs`}>
          <RetentionRuns />
        </Section>
        <Section title={t`Schedule and limit`}>
          <QueryStatus of={settings} failure={t`The settings couldn’t be loaded`} />
          {settings.data && (
            <>
              <Text size="sm" mb="md">
                {settings.data.bin_days === 0
                  ? t`There is no bin: files are deleted permanently.`
                  : plural(settings.data.bin_days, {
                      one: 'Files in the bin can be restored for # day. A removed recording cannot be restored.',
                      other: 'Files in the bin can be restored for # days. A removed recording cannot be restored.',
                    })}
              </Text>
              <RetentionSettingsForm saved={settings.data} />
            </>
          )}
        </Section>
      </Stack>
    </Pane>
  );
}
