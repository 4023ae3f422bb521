import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { moment, formatNumber } from '../../lib/format.ts';
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
      title={run.data?.dry_run ? t`Dry run` : t`Run`}
      actions={run.data && <RunActions report={run.data} />}
      back={{ to: '/admin/directory-sync', label: t`All runs` }}
    >
      <Stack gap="lg">
        <QueryStatus of={run} failure={t`The report couldn’t be loaded`} />
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
        <Section title={t`Accounts to disable`}>
          <CandidateTable candidates={report.actions} total={report.candidates} />
        </Section>
      )}
      {report.reconciliations.length > 0 && (
        <Section title={t`Changed roles and groups`}>
          <Changes report={report} />
        </Section>
      )}
      {report.eligible_for_reactivation.length > 0 && (
        <Section title={t`Back in the directory`}>
          <Text size="sm" mb="xs">
            <Trans>
              These accounts were disabled because of the directory and are in it again. They stay disabled until an
              administrator enables them: open an account to do so.
            </Trans>
          </Text>
          {report.eligible_for_reactivation.map((account) => (
            <Text key={account.user_uuid} size="sm">
              <Link className="ot-row-link" dir="auto" to="/admin/users/$uuid" params={{ uuid: account.user_uuid }}>
                {account.email}
              </Link>
            </Text>
          ))}
        </Section>
      )}
      {report.proof.length > 0 && (
        <Section title={t`Verification`}>
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
    [t`Status`, report.dry_run ? t`${statusLabelOf(report).label}, dry run` : statusLabelOf(report).label],
    [t`Started`, moment(report.started_at)],
    [t`Duration`, report.duration_s === null ? null : t`${report.duration_s.toFixed(1)} s`],
    [t`Approved`, report.approved_at === null ? null : moment(report.approved_at)],
    ...(wasRead(report) ? countsOf(report) : []),
    [t`Limit`, plural(report.max_disables_per_run, { one: '# account', other: '# accounts' })],
  ];
}

function countsOf(report: Report): [string, string][] {
  return [
    [t`Accounts checked`, formatNumber(report.checked)],
    [t`Directory entries`, formatNumber(report.seen)],
    [t`LDAP requests`, formatNumber(report.ldap_requests)],
  ];
}

function effectsOf(change: Report['reconciliations'][number]): string[] {
  const { role_from: before, role_to: after, groups_added: added, groups_removed: removed, error } = change;
  return [
    ...(after ? [`${before} → ${after}`] : []),
    ...(added.length > 0 ? [t`added to ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [t`removed from ${removed.join(', ')}`] : []),
    ...(error ? [t`not applied: changed during the run`] : []),
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
              {effectsOf(change).map((effect) => ` · ${effect}`)}
            </Text>
          </li>
        ))}
      </ul>
      <Group mt="sm">
        {visible.length < reconciliations.length && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            {t`Show ${formatNumber(reconciliations.length)}`}
          </Button>
        )}
        {reconciled > reconciliations.length && (
          <Text size="xs" c="dimmed">
            {t`The report lists ${formatNumber(reconciliations.length)} of ${formatNumber(reconciled)}. Use “Explain an account” for the others.`}
          </Text>
        )}
      </Group>
    </>
  );
}
