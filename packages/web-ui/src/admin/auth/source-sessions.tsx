import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { sourceSessionsQuery, type Source } from './auth-queries.ts';

const sources: readonly string[] = ['ldap', 'oidc', 'pki', 'proxy'] satisfies Source[];

export function isSource(category: string): category is Source {
  return sources.includes(category);
}

type Props = {
  readonly source: Source;
  /** The source is switched off in the form, but not saved yet. */
  readonly switchingOff: boolean;
};

/** The sessions of a source that is, or will be, switched off. They continue until an administrator ends them. */
export function SourceSessions({ source, switchingOff }: Props) {
  const client = useQueryClient();
  const query = sourceSessionsQuery(source);
  const count = useQuery(query);
  const [confirming, setConfirming] = useState(false);
  if (!count.data || count.data.sessions === 0) return null;
  const { enabled, accounts, sessions } = count.data;
  if (enabled && !switchingOff) return null;
  const who = t`${plural(accounts, { one: '# account', other: '# accounts' })} (${plural(sessions, { one: '# session', other: '# sessions' })})`;
  const end = async (): Promise<void> => {
    const { sessions_terminated: ended } = await call('DELETE /api/admin/auth-config/{category}/sessions', {
      params: { category: source },
    });
    notify(t`${plural(ended, { one: '# session', other: '# sessions' })} ended.`);
  };
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<Icon name="alert" />}
      title={enabled ? t`People are signed in through this source` : t`People are still signed in through this source`}
      role="status"
      data-testid="source-sessions"
    >
      <Stack gap="sm">
        <Text size="sm">
          {enabled
            ? t`Switching it off prevents new sign-ins. ${who} stay signed in. After saving, you can end these sessions here.`
            : t`New sign-ins are not possible, but ${who} stay signed in until the sessions end.`}
        </Text>
        {!enabled && (
          <Group>
            <Button color="red" variant="light" onClick={() => setConfirming(true)}>
              {t`End these sessions`}
            </Button>
          </Group>
        )}
      </Stack>
      {confirming && (
        <Confirm
          title={t`End ${plural(sessions, { one: '# session', other: '# sessions' })}?`}
          action={t`End sessions`}
          run={end}
          onDone={() => void client.invalidateQueries({ queryKey: query.queryKey })}
          onClose={() => setConfirming(false)}
        >
          <Text>{t`All accounts of this source are signed out immediately. Your own session continues.`}</Text>
        </Confirm>
      )}
    </Alert>
  );
}
