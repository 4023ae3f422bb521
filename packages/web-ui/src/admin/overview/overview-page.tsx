import { t } from '@lingui/core/macro';
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../../api/queries.ts';
import { messageOf } from '../../api/problem.ts';
import { Icon } from '../../ui/icons.tsx';
import { Pane, Section } from '../../ui/pane.tsx';
import { alertsOf, setupSteps, type Alert, type SetupStep } from './checks.ts';
import { useFacts } from './use-facts.ts';
import css from './overview.module.css';

/** Administration > Overview: what is not set up yet, and what needs attention now. */
export function OverviewPage() {
  const role = useQuery(meQuery).data?.role;
  const { facts, failures, isPending } = useFacts(role === 'super_admin');
  const alerts = alertsOf(facts);
  const steps = setupSteps(facts);
  const open = steps.filter(({ done }) => !done);
  return (
    <Pane title={t`Overview`}>
      <Stack gap="lg">
        <Section title={t`Needs attention`}>
          <ul className="ot-list" data-testid="attention" aria-busy={isPending}>
            {alerts.map((alert) => (
              <AlertEntry key={alert.id} alert={alert} />
            ))}
            {failures.map(({ name, error }) => (
              <AlertEntry
                key={name}
                alert={{ id: name, text: t`Not checked: ${name}. ${messageOf(error)}`, to: null }}
              />
            ))}
          </ul>
          {alerts.length + failures.length === 0 && (
            <Text c="dimmed">{isPending ? t`Checking` : t`Nothing needs attention.`}</Text>
          )}
        </Section>
        <Section title={open.length === 0 ? t`Set up` : t`Not set up yet`}>
          <ul className="ot-list" data-testid="setup">
            {[...open, ...steps.filter(({ done }) => done)].map((step) => (
              <StepEntry key={step.id} step={step} />
            ))}
          </ul>
        </Section>
      </Stack>
    </Pane>
  );
}

function AlertEntry({ alert: { id, text, to } }: { alert: Alert }) {
  return (
    <li className={css['entry']} data-check={id}>
      <Icon name="alert" size={18} className={css['warning']} />
      <span>
        {to === null ? (
          text
        ) : (
          <Anchor component={Link} to={to} c="inherit">
            {text}
          </Anchor>
        )}
      </span>
    </li>
  );
}

function StepEntry({ step: { id, title, text, done, to } }: { step: SetupStep }) {
  return (
    <li className={css['entry']} data-check={id} data-done={done}>
      <Icon name={done ? 'check' : 'plus'} size={18} />
      <span>
        <Anchor component={Link} to={to} c="inherit" fw={600}>
          {title}
        </Anchor>
        <Text size="sm" c="dimmed">
          {done ? t`Done. ${text}` : text}
        </Text>
      </span>
    </li>
  );
}
