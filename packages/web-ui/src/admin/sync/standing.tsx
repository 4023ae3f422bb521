import { Badge, Group, List, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { askSweep, type SweepAnswer } from '../../api/sweep.ts';
import { moment } from '../../lib/format.ts';
import { Waiting } from '../parts.tsx';
import { evidenceOf, reasonWords } from './words.ts';

type Explanation = SweepAnswer<'explainSignIn'>;

/** The directory is asked when somebody wants to know, and not again for a glance at another window. */
const explanationQuery = (login: string) =>
  queryOptions({
    queryKey: ['sweep', 'explanation', login],
    queryFn: ({ signal }) => askSweep('explainSignIn', { signal, query: { login } }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

const verdicts: Record<Explanation['verdict'], { words: string; color: string }> = {
  admitted: { words: 'admitted', color: 'petrol' },
  admin: { words: 'administrator', color: 'petrol' },
  disabled: { words: 'disabled', color: 'red' },
  refused: { words: 'refused at sign-in', color: 'red' },
  unknown: { words: 'not known', color: 'yellow' },
};

const because = (text: string): string => Object.entries(reasonWords).find(([name]) => name === text)?.[1] ?? text;
const factsOf = ({ disabled_because: reason, ...facts }: Record<string, string>): string =>
  evidenceOf({ ...facts, ...(reason === undefined ? {} : { disabled_because: because(reason) }) });

/** How somebody would fare who signed in now, and how they fared lately. */
export const Standing = ({ login }: { login: string }) => {
  const asked = useQuery(explanationQuery(login));
  if (!asked.data) return <Waiting of={asked} what="The answer of the directory" height={80} />;
  const { verdict, reason, evidence, refusals, as_of: at } = asked.data;
  return (
    <Stack gap={6} data-testid="standing">
      <Group gap="sm">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {login}
        </Text>
        <Badge variant="light" color={verdicts[verdict].color}>
          {verdicts[verdict].words}
        </Badge>
      </Group>
      <Text size="sm">{reason}</Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {factsOf(evidence)}
      </Text>
      <Text size="xs" c="dimmed">
        As of {moment(at)}
      </Text>
      <Refusals refusals={refusals} />
    </Stack>
  );
};

const Refusals = ({ refusals }: Pick<Explanation, 'refusals'>) =>
  refusals.length === 0 ? (
    <Text size="sm">No sign-in under this login was refused lately.</Text>
  ) : (
    <>
      <Text size="sm" fw={600}>
        Last refused sign-ins
      </Text>
      <List size="sm" spacing={4} data-testid="refusals">
        {refusals.map(({ at, code, reason, detail, source_ip: from }, i) => (
          <List.Item key={`${at} ${i}`}>
            {moment(at)}: {reason}
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {[code, detail, from && `from ${from}`].filter(Boolean).join(' · ')}
            </Text>
          </List.Item>
        ))}
      </List>
    </>
  );
