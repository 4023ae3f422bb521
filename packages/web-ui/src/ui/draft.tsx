import { t } from '@lingui/core/macro';
import { Anchor, Text } from '@mantine/core';
import { askToDiscard } from './unsaved.tsx';

/** Typed text that is kept until it is saved or discarded. */
export type Draft<T> = {
  readonly value: T;
  readonly set: (value: T) => void;
  /** True while the value differs from the saved one. */
  readonly changed: boolean;
  /** True when the form opened with this draft. */
  readonly restored: boolean;
  readonly drop: () => void;
  /** Deletes the draft after `value` was saved, unless it was changed in the meantime. */
  readonly dropSaved: (value: T) => void;
};

/** Drops a draft; asks first when it was changed. @returns false when the person keeps editing. */
export async function confirmDiscard({ changed, drop }: Pick<Draft<unknown>, 'changed' | 'drop'>): Promise<boolean> {
  if (changed && !(await askToDiscard())) return false;
  drop();
  return true;
}

/** Shows that a form contains text of an earlier visit, until it is changed. */
export function RestoredNote({ draft }: { draft: Pick<Draft<unknown>, 'restored' | 'drop'> }) {
  if (!draft.restored) return null;
  return (
    <Text size="xs" c="dimmed" role="status">
      {t`Unsaved text restored.`}{' '}
      <Anchor component="button" type="button" size="xs" onClick={draft.drop}>
        {t`Discard`}
      </Anchor>
    </Text>
  );
}
