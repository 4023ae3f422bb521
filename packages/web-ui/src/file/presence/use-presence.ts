import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { reportEveryMs, useVisitors, type Visitor } from '../../live/presence-store.ts';
import { push } from '../../state/services.ts';

/** Without input for this long a person is away, although the page is open. */
const awayAfterMs = 5 * 60_000;
const signsOfUse = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * Tells the others that this page is open, and in which passage the caret is.
 * @returns who else has it open.
 */
export function usePresence(fileId: string, segment: string | null): readonly Visitor[] {
  const [visit] = useState(() => crypto.randomUUID());
  const usedAt = useLastUse();
  const [segmentId] = useDebouncedValue(segment, 500);
  const visitors = useVisitors(fileId);
  // A page that was just opened knows of no others yet: they report when they see it.
  const others = visitors.map(({ visitId }) => visitId).join();

  useEffect(() => {
    const report = (): void => {
      const left = document.hidden || Date.now() - usedAt.current > awayAfterMs;
      send(fileId, { visit_uuid: visit, segment_uuid: left ? null : segmentId, left });
    };
    report();
    const timer = setInterval(report, reportEveryMs);
    document.addEventListener('visibilitychange', report);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', report);
    };
  }, [fileId, visit, segmentId, usedAt, others]);
  useEffect(() => {
    const leave = (): void => send(fileId, { visit_uuid: visit, left: true });
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [fileId, visit]);
  return visitors;
}

type Report = { visit_uuid: string; segment_uuid?: string | null; left: boolean };

/** A report that is lost is repeated. */
function send(fileId: string, body: Report): void {
  // After the sign-out a report would end the session once more.
  if (push.state.get() === 'off') return;
  // The last report must arrive although the page that sends it is closed.
  const input = { params: { uuid: fileId }, body, keepalive: body.left };
  call('POST /api/files/{uuid}/presence', input).catch(() => undefined);
}

function useLastUse() {
  const usedAt = useRef(Date.now());
  useEffect(() => {
    const use = (): void => void (usedAt.current = Date.now());
    for (const sign of signsOfUse) addEventListener(sign, use, { passive: true });
    return () => {
      for (const sign of signsOfUse) removeEventListener(sign, use);
    };
  }, []);
  return usedAt;
}
