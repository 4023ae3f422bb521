import { msg, plural, t } from '@lingui/core/macro';
import { ActionIcon, Menu, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';
import { Icon, type IconName } from '../ui/icons.tsx';
import { clock } from '../lib/format.ts';
import { translateOnRead } from '../lib/language.ts';
import { useFile } from './file-context.ts';
import css from './file.module.css';
import { rates, rewinds, type PlayFailure } from './player.ts';
import type { Lane } from './waveform-drawing.ts';
import { Waveform } from './waveform.tsx';

const failureTexts: Record<PlayFailure, string> = translateOnRead({
  masking: msg`Masked parts are being removed from the sound. The recording can be played when this is done.`,
  converting: msg`Browsers can’t play this format. A copy for playback is being made.`,
  masking_failed: msg`This recording can’t be played: its masked parts couldn’t be removed from the sound.`,
  unplayable: msg`The recording couldn’t be played: your browser doesn’t support its format, or it couldn’t be loaded.`,
});

/** The player at the lower edge of the window. */
export function PlayerDock({ lanes }: { lanes: readonly Lane[] }) {
  const { file, player } = useFile();
  const state = useSyncExternalStore(player.state.subscribe, player.state.get);
  const duration = state.duration ?? file.duration ?? 0;
  const dock = useDockHeight();
  return (
    <section
      ref={dock}
      className={css['dock']}
      aria-label={t`Player`}
      data-testid="player"
      data-playing={state.playing}
    >
      {state.failure && (
        <Text
          size="sm"
          {...(state.failure === 'masking' || state.failure === 'converting'
            ? { role: 'status' }
            : { c: 'red', role: 'alert' })}
          ta="center"
          pb={4}
        >
          {failureTexts[state.failure]}
        </Text>
      )}
      <div className={css['dockInner']}>
        <div className={css['buttons']}>
          <DockButton icon="back" label={t`10 seconds back`} onClick={() => player.skip(-10)} />
          <ActionIcon
            variant="filled"
            color="petrol"
            size={44}
            radius="xl"
            loading={state.buffering && state.playing}
            aria-label={state.playing ? t`Pause` : t`Play`}
            aria-keyshortcuts="Space K"
            onClick={player.toggle}
          >
            <Icon name={state.playing ? 'pause' : 'play'} size={24} />
          </ActionIcon>
          <DockButton icon="forward" label={t`10 seconds forward`} onClick={() => player.skip(10)} />
        </div>
        <Waveform duration={duration} lanes={lanes} />
        <div className={css['buttons']}>
          <Position duration={duration} />
          {state.loop && <DockButton icon="retry" label={t`Stop repeating`} onClick={() => player.setLoop(null)} />}
          <Menu position="top-end" width={210}>
            <Menu.Target>
              <UnstyledButton
                className="ot-tabular"
                aria-label={t`Speed ${state.rate}×`}
                px={8}
                py={6}
                fz="sm"
                fw={600}
                w={54}
                ta="center"
              >
                {state.rate}×
              </UnstyledButton>
            </Menu.Target>
            <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
              <Menu.CheckboxItem checked={state.follow} onChange={(follow) => player.setPreferences({ follow })}>
                {t`Follow in the text`}
              </Menu.CheckboxItem>
              <Menu.Label>{t`A pause goes back`}</Menu.Label>
              <Menu.RadioGroup
                value={String(state.rewind)}
                onChange={(rewind) => player.setPreferences({ rewind: Number(rewind) })}
              >
                {rewinds.map((rewind) => (
                  <Menu.RadioItem key={rewind} value={String(rewind)}>
                    {rewind === 0 ? t`not at all` : plural(rewind, { one: '# second', other: '# seconds' })}
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
              <Menu.Label>{t`Speed`}</Menu.Label>
              <Menu.RadioGroup value={String(state.rate)} onChange={(rate) => player.setRate(Number(rate))}>
                {rates.map((rate) => (
                  <Menu.RadioItem key={rate} value={String(rate)} closeMenuOnClick>
                    {rate}×
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
            </Menu.Dropdown>
          </Menu>
          <DockButton
            className={css['mute'] ?? ''}
            icon={state.muted ? 'muted' : 'volume'}
            label={state.muted ? t`Unmute` : t`Mute`}
            onClick={player.toggleMuted}
          />
        </div>
      </div>
    </section>
  );
}

type DockButtonProps = { icon: IconName; label: string; className?: string; onClick: () => void };

function DockButton({ icon, label, className = '', onClick }: DockButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon className={className} aria-label={label} onClick={onClick}>
        <Icon name={icon} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Updates the DOM directly on every tick, without rendering React. */
function Position({ duration }: { duration: number }) {
  const { player } = useFile();
  const ref = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      player.onTick((seconds) => {
        const text = clock(seconds);
        if (ref.current && ref.current.textContent !== text) ref.current.textContent = text;
      }),
    [player],
  );
  return (
    <Text size="sm" className="ot-tabular" style={{ whiteSpace: 'nowrap' }} px={4} data-testid="position">
      <span ref={ref}>0:00</span>
      <Text span c="dimmed" inherit>
        {' '}
        / {clock(duration)}
      </Text>
    </Text>
  );
}

/** Sets the height of the player as a CSS variable, for everything that stays above it. */
function useDockHeight(): RefObject<HTMLElement | null> {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(
      () => ref.current && style.setProperty('--ot-dock', `${ref.current.offsetHeight}px`),
    );
    if (ref.current) observer.observe(ref.current);
    return () => {
      observer.disconnect();
      style.removeProperty('--ot-dock');
    };
  }, []);
  return ref;
}
