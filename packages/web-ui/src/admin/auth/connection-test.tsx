import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ask, type IdentityAnswer } from '../../api/identity.ts';
import { Icon } from '../../app/icons.tsx';
import { Section } from '../parts.tsx';
import css from './auth.module.css';
import type { Edits } from './draft.ts';
import { RefusalNote } from './refusal-note.tsx';

type Props = {
  readonly category: 'ldap' | 'oidc' | 'pki';
  readonly intro: string;
  readonly edits: Edits;
  /** The refusal that the form shows at this moment, of this test or of saving. */
  readonly refused: unknown;
  /** What the fields of the form are to show of this test; null: nothing. */
  readonly onRefused: (error: unknown) => void;
};
type Tested = IdentityAnswer<'testAuthConfig'>;

/** Tries what stands in the form before it is saved, step by step. */
export const ConnectionTest = ({ category, intro, edits, refused, onRefused }: Props) => {
  const test = useMutation({
    mutationFn: () => ask('testAuthConfig', { params: { category }, body: { ...edits } }),
    onSettled: (_, error) => onRefused(error),
  });
  return (
    <Section title="Connection test">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {intro}
        </Text>
        <Group>
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            Test connection
          </Button>
        </Group>
        <div aria-live="polite" data-testid="test-result">
          {test.error && test.error === refused && (
            <RefusalNote error={test.error} title="The test could not be done" />
          )}
          {test.data && !test.isPending && <Outcome tested={test.data} />}
        </div>
      </Stack>
    </Section>
  );
};

type State = 'ok' | 'warning' | 'failed';
/** A step that worked and still has advice is a warning. */
const stateOf = ({ ok, advice }: Tested['steps'][number]): State => (!ok ? 'failed' : advice === '' ? 'ok' : 'warning');
const icons = { ok: 'check', warning: 'alert', failed: 'close' } as const;

const Outcome = ({ tested }: { tested: Tested }) => (
  <Stack gap="sm">
    <Alert
      color={tested.success ? 'petrol' : 'red'}
      variant="light"
      icon={<Icon name={tested.success ? 'check' : 'alert'} />}
      title={titleOf(tested)}
    >
      <Text size="sm">{tested.message}</Text>
    </Alert>
    <ol className={css['steps']}>
      {tested.steps.map((step) => (
        <li key={step.code} className={css['step']} data-ok={step.ok} data-step={step.code}>
          <span className={css[stateOf(step)]} role="img" aria-label={stateOf(step)}>
            <Icon name={icons[stateOf(step)]} size={18} />
          </span>
          <Text size="sm" fw={600}>
            {step.title}
          </Text>
          <Text size="xs" c="dimmed" className="ot-tabular">
            {Math.round(step.duration_ms)} ms
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
    <Details details={tested.details} />
  </Stack>
);

const titleOf = ({ success, steps }: Tested): string => {
  if (!success) return 'It does not work yet';
  return steps.some((step) => stateOf(step) === 'warning') ? 'It works, with warnings' : 'It works';
};

const Details = ({ details }: { details: Tested['details'] }) =>
  Object.keys(details).length === 0 ? null : (
    <details>
      <summary>What the server says of itself</summary>
      <Code block mt="xs">
        {JSON.stringify(details, null, 2)}
      </Code>
    </details>
  );
