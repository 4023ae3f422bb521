import { t } from '@lingui/core/macro';
import { Button, Code, Group } from '@mantine/core';
import { copyText } from '../../lib/copy-text.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import css from './backups.module.css';

type Props = { readonly lines: readonly string[]; readonly label: string };

/** Commands for a shell, with a button that copies them. */
export function CommandBlock({ lines, label }: Props) {
  const text = lines.join('\n');
  const copy = (): void =>
    void copyText(text).then(
      () => notify(t`Copied.`),
      (error: unknown) => notifyError(t`Not copied`, error),
    );
  return (
    <div>
      <Code block className={css['commands'] ?? ''} data-testid="commands">
        {text}
      </Code>
      <Group mt="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="copy" size={16} />}
          aria-label={label}
          onClick={copy}
        >
          {t`Copy`}
        </Button>
      </Group>
    </div>
  );
}
