import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { notifyError } from '../ui/notify.ts';
import { decisionText, undoOf, type Decision } from './decisions.ts';
import type { VoiceSuggestion } from './voice-queries.ts';

type Decided = Pick<VoiceSuggestion, 'voice' | 'profile'>;

/** Milliseconds after the list has closed the gap: a second click of a double click would decide about the next voice. */
const settleMs = 500;
/** One below the number of notices that are shown at the same time: older ones are hidden, not queued. */
const maxToasts = 3;

/** Decides whether a voice is the person of a profile, and offers to undo that. */
export function useDecision() {
  const client = useQueryClient();
  const [isListMoving, setListMoving] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const toasts = useRef<string[]>([]);
  const refresh = ({ voice }: Decided) => {
    void client.invalidateQueries({ queryKey: ['file', voice.file_uuid] });
    return client.invalidateQueries({ queryKey: ['voices'] });
  };
  const takeBack = async (suggestion: Decided, action: Decision): Promise<void> => {
    try {
      for (const step of undoOf(action)) await send(suggestion, step);
    } finally {
      void refresh(suggestion);
    }
  };
  const { mutate, isPending } = useMutation({
    mutationFn: ({ suggestion, action }: { suggestion: Decided; action: Decision }) => send(suggestion, action),
    onMutate: () => {
      clearTimeout(timer.current);
      setListMoving(true);
    },
    onSuccess: (_, { suggestion, action }) => {
      const { voice, profile } = suggestion;
      const text = decisionText(action, { voice, name: profile.name });
      toasts.current.push(notifyWithUndo(text, () => takeBack(suggestion, action)));
      for (const old of toasts.current.splice(0, toasts.current.length - maxToasts)) notifications.hide(old);
    },
    onError: (error) => notifyError(t`The decision wasn’t saved`, error),
    onSettled: async (_data, _error, { suggestion }) => {
      await refresh(suggestion);
      timer.current = setTimeout(() => setListMoving(false), settleMs);
    },
  });
  return { mutate, isPending, isListMoving };
}

function send({ voice, profile }: Decided, action: Decision | 'undo_reject'): Promise<void> {
  return call('POST /api/speakers/{uuid}/verify', {
    params: { uuid: voice.speaker_uuid },
    body: { action, profile_uuid: profile.uuid },
  });
}
