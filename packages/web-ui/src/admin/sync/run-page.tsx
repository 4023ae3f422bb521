import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { moment, plural } from '../../lib/format.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { Facts } from '../../ui/facts.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { CandidateTable } from './candidate-table.tsx';
import { RunActions } from './run-actions.tsx';
import { runQuery } from './sync-queries.ts';
import { statusLabelOf, summaryOf, verificationName, type Report } from './labels.ts';

const initiallyShown = 20;

/** The report of one run: its decisions about accounts, and the evidence. */
export function RunPage() {
  const { uuid } = useParams({ from: '/inside/frame/admin/directory-sync/passes/$uuid' });
  const run = useQuery(runQuery(uuid));
  return (
    <Pane
      title={run.data?.dry_run ? 'Dry run' : 'Run'}
      actions={run.data && <RunActions report={run.data} />}
      back={{ to: '/admin/directory-sync', label: 'All runs' }}
    >
      <Stack gap="lg">
        <QueryStatus of={run} what="The report" />
        {run.data && <Body report={run.data} />}
      </Stack>
    </Pane>
  );
}

function Body({ report }: { report: Report }) {
  return (
    <>
      <Section title={summaryOf(report)}>
        <Facts of={factsOf(report)} />
      </Section>
      {(wasRead(report) || report.actions.length > 0) && (
        <Section title="Accounts to disable">
          <CandidateTable candidates={report.actions} total={report.candidates} />
        </Section>
      )}
      {report.reconciliations.length > 0 && (
        <Section title="Changed roles and groups">
          <Changes report={report} />
        </Section>
      )}
      {report.eligible_for_reactivation.length > 0 && (
        <Section title="Back in the directory">
          <Text size="sm" mb="xs">
            These accounts were disabled because of the directory and are in it again. They stay disabled until an
            administrator enables them: open an account to do so.
          </Text>
          {report.eligible_for_reactivation.map((account) => (
            <Text key={account.user_uuid} size="sm">
              <Link className="ot-row-link" to="/admin/users/$uuid" params={{ uuid: account.user_uuid }}>
                {account.email}
              </Link>
            </Text>
          ))}
        </Section>
      )}
      {report.proof.length > 0 && (
        <Section title="Verification">
          <Facts of={report.proof.map((step) => [verificationName(step.code), step.evidence] as const)} />
        </Section>
      )}
    </>
  );
}

/** An unread directory says nothing about who is in it. */
function wasRead({ status }: Report): boolean {
  return status === 'ok' || status === 'held';
}

function factsOf(report: Report): (readonly [string, string | null])[] {
  return [
    ['Status', statusLabelOf(report).label + (report.dry_run ? ', dry run' : '')],
    ['Started', moment(report.started_at)],
    ['Duration', report.duration_s === null ? null : `${report.duration_s.toFixed(1)} s`],
    ['Approved', report.approved_at === null ? null : moment(report.approved_at)],
    ...(wasRead(report) ? countsOf(report) : []),
    ['Limit', plural(report.max_disables_per_run, 'account')],
  ];
}

function countsOf(report: Report): [string, string][] {
  return [
    ['Accounts checked', report.checked.toLocaleString()],
    ['Directory entries', report.seen.toLocaleString()],
    ['LDAP requests', report.ldap_requests.toLocaleString()],
  ];
}

function Changes({ report: { reconciliations, reconciled } }: { report: Report }) {
  const [all, setAll] = useState(false);
  const visible = all ? reconciliations : reconciliations.slice(0, initiallyShown);
  return (
    <>
      <ul style={{ margin: 0, paddingLeft: '1.125rem' }}>
        {visible.map((change) => (
          <li key={change.user_uuid}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <b>{change.email}</b>
              {change.role_to ? ` · ${change.role_from} → ${change.role_to}` : ''}
              {change.groups_added.length > 0 ? ` · added to ${change.groups_added.join(', ')}` : ''}
              {change.groups_removed.length > 0 ? ` · removed from ${change.groups_removed.join(', ')}` : ''}
              {change.error ? ' · not applied: changed during the run' : ''}
            </Text>
          </li>
        ))}
      </ul>
      <Group mt="sm">
        {visible.length < reconciliations.length && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            Show {reconciliations.length.toLocaleString()}
          </Button>
        )}
        {reconciled > reconciliations.length && (
          <Text size="xs" c="dimmed">
            The report lists {reconciliations.length.toLocaleString()} of {reconciled.toLocaleString()}. Use “Explain an
            account” for the others.
          </Text>
        )}
      </Group>
    </>
  );
}
