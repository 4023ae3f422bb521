import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber } from '../../lib/format.ts';
import { Empty } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { evidenceText, outcomeLabels, reasonTexts, type Candidate } from './labels.ts';

const initiallyShown = 200;

type Props = { readonly candidates: readonly Candidate[]; readonly total: number };

/** The deprovisioning candidates of a sync run, each with reason and outcome. */
export function CandidateTable({ candidates, total }: Props) {
  const [all, setAll] = useState(false);
  if (candidates.length === 0) return <Empty>{t`No accounts.`}</Empty>;
  const visible = all ? candidates : candidates.slice(0, initiallyShown);
  return (
    <>
      <Sheet testId="candidates" heads={[t`Account`, t`Reason`, t`Outcome`]}>
        {visible.map((candidate) => (
          <CandidateRow key={candidate.user_uuid} candidate={candidate} />
        ))}
      </Sheet>
      <Group mt="sm">
        {visible.length < candidates.length && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            {t`Show all ${formatNumber(candidates.length)}`}
          </Button>
        )}
        {total > candidates.length && (
          <Text size="xs" c="dimmed">
            {t`The first ${formatNumber(candidates.length)} of ${formatNumber(total)}.`}
          </Text>
        )}
      </Group>
    </>
  );
}

function CandidateRow({ candidate }: { candidate: Candidate }) {
  const { label, color } = outcomeLabels[candidate.outcome];
  return (
    <Table.Tr>
      <Table.Td>
        <Link className="ot-row-link" dir="auto" to="/admin/users/$uuid" params={{ uuid: candidate.user_uuid }}>
          {candidate.email}
        </Link>
      </Table.Td>
      <Table.Td data-wide>
        {reasonTexts[candidate.reason]}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {evidenceText(candidate.evidence)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
        {candidate.sessions_revoked ? (
          <Text size="xs" c="dimmed">
            {t`${plural(candidate.sessions_revoked, { one: '# session', other: '# sessions' })} ended`}
          </Text>
        ) : null}
      </Table.Td>
    </Table.Tr>
  );
}
