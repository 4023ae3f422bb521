import { t } from '@lingui/core/macro';
import { Button, Code, Group } from '@mantine/core';
import { copyAndNotify } from '../../ui/copy-text.ts';
import { Icon } from '../../ui/icons.tsx';
import css from './backups.module.css';

type Props = { readonly lines: readonly string[]; readonly label: string };

/** Commands for a shell, with a button that copies them. */
export function CommandBlock({ lines, label }: Props) {
  const text = lines.join('\n');
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
          onClick={() => void copyAndNotify(text, t`Copied.`, t`Not copied`)}
        >
          {t`Copy`}
        </Button>
      </Group>
    </div>
  );
}
