import { msg, t } from '@lingui/core/macro';
import { Badge, Group, List, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { translateOnRead } from '../../lib/language.ts';
import { call } from '../../api/client.ts';
import { moment } from '../../lib/format.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import type { ColoredLabel } from '../../ui/account-labels.ts';
import { evidenceText, reasonTexts } from './labels.ts';

type Explanation = ResponseBody<'GET /api/admin/sign-in/explanation'>;

const verdicts: Record<Explanation['verdict'], ColoredLabel> = translateOnRead({
  admitted: { label: msg`admitted`, color: 'petrol' },
  admin: { label: msg`administrator`, color: 'petrol' },
  disabled: { label: msg`disabled`, color: 'red' },
  refused: { label: msg`refused at sign-in`, color: 'red' },
  unknown: { label: msg`unknown`, color: 'yellow' },
});

/** Whether a sign-in with this login would succeed now, and the last refused sign-ins. */
export function SignInExplanation({ login }: { login: string }) {
  const explanation = useQuery(explanationQuery(login));
  if (!explanation.data)
    return <QueryStatus of={explanation} failure={t`The result of the directory couldn’t be loaded`} height={80} />;
  const { verdict, reason, evidence, refusals, as_of: at } = explanation.data;
  return (
    <Stack gap={6} data-testid="sign-in-explanation">
      <Group gap="sm">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {login}
        </Text>
        <Badge variant="light" color={verdicts[verdict].color}>
          {verdicts[verdict].label}
        </Badge>
      </Group>
      <Text size="sm">{reason}</Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {evidenceLine(evidence)}
      </Text>
      <Text size="xs" c="dimmed">
        {t`As of ${moment(at)}`}
      </Text>
      <Refusals refusals={refusals} />
    </Stack>
  );
}

/** Queries the directory only on request: neither a cached result nor a change of the window leads to another query. */
function explanationQuery(login: string) {
  return queryOptions({
    queryKey: ['directory-sync', 'explanation', login],
    queryFn: ({ signal }) => call('GET /api/admin/sign-in/explanation', { signal, query: { login } }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

function evidenceLine({ disabled_because: reason, ...facts }: Record<string, string>): string {
  return evidenceText({ ...facts, ...(reason === undefined ? {} : { disabled_because: reasonText(reason) }) });
}

function reasonText(reason: string): string {
  return Object.entries(reasonTexts).find(([name]) => name === reason)?.[1] ?? reason;
}

function Refusals({ refusals }: Pick<Explanation, 'refusals'>) {
  return refusals.length === 0 ? (
    <Text size="sm">{t`No recent sign-in with this login was refused.`}</Text>
  ) : (
    <>
      <Text size="sm" fw={600}>
        {t`Recently refused sign-ins`}
      </Text>
      <List size="sm" spacing={4} data-testid="refusals">
        {refusals.map(({ at, code, reason, detail, source_ip: from }, i) => (
          <List.Item key={`${at} ${i}`}>
            {moment(at)}: {reason}
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {[code, detail, from && t`from ${from}`].filter(Boolean).join(' · ')}
            </Text>
          </List.Item>
        ))}
      </List>
    </>
  );
}
