import { t } from '@lingui/core/macro';
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { Section } from '../../ui/pane.tsx';
import css from './auth.module.css';
import type { Edits } from './draft.ts';
import { RefusalNote } from './refusal-note.tsx';

type Props = {
  readonly category: 'ldap' | 'oidc' | 'pki';
  readonly intro: string;
  readonly edits: Edits;
  /** The refusal that the form shows now: of this test, or of saving. */
  readonly refused: unknown;
  /** Shows the refusal of this test at the fields of the form; null clears it. */
  readonly onRefused: (error: unknown) => void;
  readonly onTested: (tested: Tested) => void;
};
/** The values that were tested last, and the result. */
export type Tested = { readonly edits: Edits; readonly success: boolean; readonly message: string };
type TestResult = ResponseBody<'POST /api/admin/auth-config/{category}/test'>;

/** Tests the values of the form before they are saved, step by step. */
export function ConnectionTest({ category, intro, edits, refused, onRefused, onTested }: Props) {
  const test = useMutation({
    mutationFn: (tested: Edits) =>
      call('POST /api/admin/auth-config/{category}/test', { params: { category }, body: { ...tested } }),
    onSuccess: ({ success, message }, tested) => onTested({ edits: tested, success, message }),
    onSettled: (_, error) => onRefused(error),
  });
  return (
    <Section title={t`Connection test`}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {intro}
        </Text>
        <Group>
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate(edits)}>
            {t`Test connection`}
          </Button>
        </Group>
        <div aria-live="polite" data-testid="test-result">
          {test.error && test.error === refused && (
            <RefusalNote error={test.error} title={t`The test couldn’t be run`} />
          )}
          {test.data && !test.isPending && <Outcome result={test.data} />}
        </div>
      </Stack>
    </Section>
  );
}

type State = 'ok' | 'warning' | 'failed';
/** A successful step with advice is a warning. */
function stateOf({ ok, advice }: TestResult['steps'][number]): State {
  return !ok ? 'failed' : advice === '' ? 'ok' : 'warning';
}

const icons = { ok: 'check', warning: 'alert', failed: 'close' } as const;

function Outcome({ result }: { result: TestResult }) {
  return (
    <Stack gap="sm">
      <Alert
        color={result.success ? 'petrol' : 'red'}
        variant="light"
        icon={<Icon name={result.success ? 'check' : 'alert'} />}
        title={titleOf(result)}
      >
        <Text size="sm">{result.message}</Text>
      </Alert>
      <ol className={css['steps']}>
        {result.steps.map((step) => (
          <li key={step.code} className={css['step']} data-ok={step.ok} data-step={step.code}>
            <span className={css[stateOf(step)]} role="img" aria-label={stateOf(step)}>
              <Icon name={icons[stateOf(step)]} size={18} />
            </span>
            <Text size="sm" fw={600}>
              {step.title}
            </Text>
            <Text size="xs" c="dimmed" className="ot-tabular">
              {t`${Math.round(step.duration_ms)} ms`}
            </Text>
            {step.evidence !== '' && (
              <Text size="xs" c="dimmed">
                {step.evidence}
              </Text>
            )}
            {step.advice !== '' && <Text size="sm">{step.advice}</Text>}
          </li>
        ))}
      </ol>
      <Details details={result.details} />
    </Stack>
  );
}

function titleOf({ success, steps }: TestResult): string {
  if (!success) return t`Test failed`;
  return steps.some((step) => stateOf(step) === 'warning') ? t`Test passed with warnings` : t`Test passed`;
}

function Details({ details }: { details: TestResult['details'] }) {
  return Object.keys(details).length === 0 ? null : (
    <details>
      <summary>{t`Server information`}</summary>
      <Code block mt="xs">
        {JSON.stringify(details, null, 2)}
      </Code>
    </details>
  );
}
