import { t } from '@lingui/core/macro';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { observable } from '../lib/observable.ts';

type UnsavedForm = {
  readonly discard: () => void;
  /** False as soon as the text is saved, even before the form renders again. */
  readonly isChanged: () => boolean;
};
const unsaved = observable<ReadonlyMap<symbol, UnsavedForm>>(new Map());
type Question = { readonly resolve: (discard: boolean) => void };
const question = observable<Question | null>(null);

/** Registers a form with the guard below while it holds unsaved text. */
export function useUnsaved(changed: boolean, discard: () => void, isChanged: () => boolean = () => true): void {
  const latest = useRef({ discard, isChanged });
  useEffect(() => {
    latest.current = { discard, isChanged };
  });
  useEffect(() => {
    if (!changed) return undefined;
    const key = Symbol('unsaved');
    unsaved.set(
      new Map(unsaved.get()).set(key, {
        discard: () => latest.current.discard(),
        isChanged: () => latest.current.isChanged(),
      }),
    );
    return () => {
      const rest = new Map(unsaved.get());
      rest.delete(key);
      unsaved.set(rest);
    };
  }, [changed]);
}

/** Asks before a form discards its text. @returns true to discard it */
export function askToDiscard(): Promise<boolean> {
  question.get()?.resolve(false);
  return new Promise((resolve) => {
    question.set({
      resolve: (discard) => {
        question.set(null);
        resolve(discard);
      },
    });
  });
}

/** Asks before typed text is lost by leaving the page or by closing a form. */
export function UnsavedGuard() {
  const forms = useSyncExternalStore(unsaved.subscribe, unsaved.get);
  const openQuestion = useSyncExternalStore(question.subscribe, question.get);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && changedForms().length > 0,
    enableBeforeUnload: forms.size > 0,
    disabled: forms.size === 0,
    withResolver: true,
  });
  function leave(): void {
    for (const form of changedForms()) form.discard();
    blocker.proceed?.();
  }
  return (
    <>
      <DiscardDialog
        opened={blocker.status === 'blocked'}
        title={t`Leave without saving?`}
        keepLabel={t`Stay`}
        discardLabel={t`Leave`}
        onKeep={() => blocker.reset?.()}
        onDiscard={leave}
      />
      <DiscardDialog
        opened={openQuestion !== null}
        title={t`Discard your changes?`}
        keepLabel={t`Keep editing`}
        discardLabel={t`Discard`}
        onKeep={() => openQuestion?.resolve(false)}
        onDiscard={() => openQuestion?.resolve(true)}
      />
    </>
  );
}

function changedForms(): UnsavedForm[] {
  return [...unsaved.get().values()].filter((form) => form.isChanged());
}

type DialogProps = {
  readonly opened: boolean;
  readonly title: string;
  readonly keepLabel: string;
  readonly discardLabel: string;
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
};

function DiscardDialog({ opened, title, keepLabel, discardLabel, onKeep, onDiscard }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onKeep} title={<b>{title}</b>} zIndex={400} size="sm">
      <Text mb="md">{t`Your changes aren’t saved yet.`}</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onKeep}>
          {keepLabel}
        </Button>
        <Button color="red" onClick={onDiscard}>
          {discardLabel}
        </Button>
      </Group>
    </Modal>
  );
}
