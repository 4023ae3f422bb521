import { t } from '@lingui/core/macro';
import { Button, Group, TextInput } from '@mantine/core';
import { copyAndNotify } from '../../ui/copy-text.ts';

/**
 * The address that the identity provider must know.
 * @param entered the callback address of the form; empty: that of this site is proposed
 */
export function CallbackAddress({ entered, onUse }: { entered: string; onUse: (address: string) => void }) {
  const own = `${location.origin}/login`;
  const address = entered === '' ? own : entered;
  const copy = (): void => void copyAndNotify(address, t`Address copied.`, t`The address couldn’t be copied`);
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        style={{ flex: '1 1 16rem' }}
        label={t`Register this address at the provider`}
        description={t`There it is called redirect URI or callback URL.`}
        readOnly
        value={address}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button variant="default" onClick={copy}>{t`Copy address`}</Button>
      {entered === '' && <Button variant="default" onClick={() => onUse(own)}>{t`Use as callback address`}</Button>}
    </Group>
  );
}
