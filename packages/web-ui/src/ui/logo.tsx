/** The mark: a string that sounds its first overtone, seen in both of its turning points. */
export function LogoMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" fill="var(--ot-accent)" />
      <g stroke="var(--ot-surface)" strokeWidth="2.6" strokeLinecap="round">
        <path d="M5 16c2.8 5.33 3.5 8 5.5 8s3.25-3.5 5.5-8 3.5-8 5.5-8 2.7 2.67 5.5 8" opacity=".42" />
        <path d="M5 16c2.8-5.33 3.5-8 5.5-8s3.25 3.5 5.5 8 3.5 8 5.5 8 2.7-2.67 5.5-8" />
      </g>
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="ot-wordmark">
      <LogoMark />
      <span className="ot-wordmark-text">{'Overtone'}</span>
    </span>
  );
}
