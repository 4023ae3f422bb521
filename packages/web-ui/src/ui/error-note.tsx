import { t } from '@lingui/core/macro';
import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { codeOf, fieldOf, isOutage, messageOf } from '../api/problem.ts';
import { focusRefusedField, refusedField } from './focus-refused-field.ts';
import { Icon } from './icons.tsx';

type Props = {
  readonly error: unknown;
  readonly title?: string;
  /** One more sentence. */
  readonly note?: string | null;
  /** Fields of the form that show their own messages: those are not repeated here. */
  readonly fields?: readonly string[];
  readonly onRetry?: () => void;
};
/**
 * A failed request: its message and code, and a retry button where a retry makes sense. In a form, the first refused field
 * gets the focus: it may be out of view.
 */
export function ErrorNote({ error, title, note = null, fields = [], onRetry }: Props) {
  const isShownAtFields = fields.some((field) => fieldOf(error, field) !== null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    focusRefusedField(box.current?.closest('form') ?? null);
  }, [error]);
  const code = isShownAtFields ? null : codeOf(error);
  return (
    <Alert
      ref={box}
      role="alert"
      color="red"
      variant="light"
      icon={<Icon name={isOutage(error) ? 'plug' : 'alert'} />}
      title={title ?? (isOutage(error) ? t`Overtone is not responding` : t`Something went wrong`)}
    >
      <Text size="sm">
        {isShownAtFields ? t`Check the marked fields.` : messageOf(error)} {note}
      </Text>
      <Group gap="sm" mt="xs">
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t`Try again`}
          </Button>
        )}
        {code !== null && <CodeDetails code={code} />}
      </Group>
    </Alert>
  );
}

/** A code that says something to an administrator only. */
export function CodeDetails({ code }: { code: string }) {
  return (
    <Text component="details" size="xs" c="dimmed">
      <summary>{t`Details`}</summary>
      <Code fz="xs">{code}</Code>
    </Text>
  );
}

/** Why the action of a dialog failed. It scrolls into view, unless a refused field was: both may not fit. */
export function FailureNote(props: Omit<Props, 'onRetry'>) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!note.current?.closest('form')?.querySelector(refusedField)) note.current?.scrollIntoView({ block: 'nearest' });
  }, [props.error]);
  return (
    <div ref={note} className="ot-dialog-note">
      <ErrorNote {...props} />
    </div>
  );
}
